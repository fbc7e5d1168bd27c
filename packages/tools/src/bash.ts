import { type AgentEvent, defineTool, objectSchema, type Tool, type ToolContext, type ToolResult } from '@x/core';
import { MAX_TIMEOUT_MS, runLine } from './run-line.ts';

export interface BashInput {
  command: string;
  timeout?: number;
  description?: string;
}

/** Runs a command line and streams its output; a code other than 0 and a timeout are error results with the output. */
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
    streaming: true,
    subject: ({ command }) => ({ type: 'command', line: command }),
    execute: bash,
  });
}

function bash({ command, timeout }: BashInput, context: ToolContext): AsyncGenerator<AgentEvent, ToolResult, void> {
  return runLine(
    { line: command, see: 'Read or Grep', ...(timeout === undefined ? {} : { timeoutMs: timeout }) },
    context,
  );
}
