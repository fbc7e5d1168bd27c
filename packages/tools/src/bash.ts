import {
  AbortError,
  type AgentEvent,
  defineTool,
  objectSchema,
  type ProcessExit,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@x/core';
import { BoundedText } from './bounded-text.ts';
import { counted } from './counted.ts';
import { failure } from './failure.ts';
import { MAX_OUTPUT_CHARACTERS } from './output-bound.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const HEADING_CHARACTERS = 200;

export interface BashInput {
  command: string;
  timeout?: number;
  description?: string;
}

/** Runs a command line and streams what it prints; a code other than 0 and a timeout are error results holding the output. */
export function bashTool(): Tool<BashInput> {
  return defineTool({
    name: 'Bash',
    description:
      'Runs a command line with bash in the working directory; nothing is kept from one call to the next. Answers with what it ' +
      'prints (stdout and stderr together); a code other than 0 is an error. At most 30,000 characters are kept, the middle is ' +
      'cut. There is no terminal and no input. When the shell ends, what it left in the background ends too. To read, change ' +
      'or search files use Read, Edit, Glob and Grep.',
    inputSchema: objectSchema({
      command: { type: 'string', description: 'The command line.' },
      timeout: {
        type: 'integer',
        description: 'Milliseconds until the command is ended. Default 120000, at most 600000.',
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        optional: true,
      },
      description: {
        type: 'string',
        description: 'What the command does, in a few words, for people.',
        optional: true,
      },
    }),
    kind: 'execute',
    subject: ({ command }) => ({ type: 'command', line: command }),
    execute: bash,
  });
}

async function* bash(
  { command, timeout = DEFAULT_TIMEOUT_MS }: BashInput,
  { workspace, signal, callId }: ToolContext,
): AsyncGenerator<AgentEvent, ToolResult, void> {
  const kept = new BoundedText(MAX_OUTPUT_CHARACTERS - HEADING_CHARACTERS, cutNote);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const running = workspace.spawn(command, { signal });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    running.kill();
  }, timeout);
  try {
    for await (const { channel, bytes } of running.output) {
      const delta = decoders[channel].decode(bytes, { stream: true });
      kept.add(delta);
      // An event, not a string: yielded strings are added up in full by whoever runs the tool.
      if (delta !== '') yield { type: 'tool_progress', id: callId, delta };
    }
    const exit = await running.exit;
    if (signal.aborted) throw new AbortError();
    kept.add(decoders.stdout.decode() + decoders.stderr.decode());
    return resultOf(exit, kept.toString(), timedOut ? timeout : undefined);
  } finally {
    clearTimeout(timer);
  }
}

function resultOf({ code, signal }: ProcessExit, output: string, timeoutMs: number | undefined): ToolResult {
  const printed = output === '' ? '(no output)' : output;
  if (timeoutMs !== undefined) {
    return failure(
      `Timed out after ${counted(timeoutMs)} ms; the command and its children were ended. Output so far:\n${printed}`,
    );
  }
  if (code === 0) return { output: printed, isError: false };
  return failure(`${code === null ? `Ended by ${signal ?? 'a signal'}` : `Exit code ${code}`}\n${printed}`);
}

function cutNote(cutCharacters: number): string {
  return `\n\n[${counted(cutCharacters)} characters cut here. To see them, send the output to a file and Read or Grep it.]\n\n`;
}
