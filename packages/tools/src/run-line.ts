import { AbortError, type AgentEvent, type ProcessExit, type ToolContext, type ToolResult } from '@x/core';
import { MAX_OUTPUT_CHARACTERS } from './text/bounded-lines.ts';
import { BoundedText } from './text/bounded-text.ts';
import { failure } from './text/failure.ts';
import { counted } from './text/numbered-lines.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const HEADING_CHARACTERS = 200;

/** Longest timeout that a model may request. */
export const MAX_TIMEOUT_MS = 600_000;

/** A line for the shell of the workspace. */
export interface CommandLine {
  readonly line: string;
  readonly stdin?: Uint8Array;
  /** Names of the tools that show a file, as a verb. */
  readonly see: string;
  /** Default 120000. */
  readonly timeoutMs?: number;
}

/**
 * Runs a line in the workspace, streams its output and answers with head and tail of it; a code other than 0 and a timeout are error
 * results. @throws AbortError
 */
export async function* runLine(
  { line, stdin, see, timeoutMs = DEFAULT_TIMEOUT_MS }: CommandLine,
  { workspace, signal, callId }: ToolContext,
): AsyncGenerator<AgentEvent, ToolResult, void> {
  const kept = new BoundedText(MAX_OUTPUT_CHARACTERS - HEADING_CHARACTERS, (cut) => cutNote(cut, see));
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const running = workspace.spawn(line, { signal, ...(stdin ? { stdin } : {}) });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    running.kill();
  }, timeoutMs);
  try {
    for await (const { channel, bytes } of running.output) {
      const delta = decoders[channel].decode(bytes, { stream: true });
      kept.add(delta);
      // An event, not a string: the caller of the tool accumulates yielded strings.
      if (delta !== '') yield { type: 'tool_progress', id: callId, delta };
    }
    const exit = await running.exit;
    if (signal.aborted) throw new AbortError();
    kept.add(decoders.stdout.decode() + decoders.stderr.decode());
    return resultOf(exit, kept.toString(), timedOut ? timeoutMs : undefined);
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

function cutNote(cutCharacters: number, see: string): string {
  return `\n\n[${counted(cutCharacters)} characters cut here. To see them, send the output to a file and ${see} it.]\n\n`;
}
