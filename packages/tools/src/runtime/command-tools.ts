import { defineTool, objectSchema, type Tool } from '@x/core';
import { MAX_TIMEOUT_MS, runLine } from '../run-line.ts';

const SEE = 'read_file';
/** The code goes in through stdin, so that it is never part of a command line. */
const NODE = 'node --input-type=module -';

const TIMEOUT = {
  type: 'integer',
  description: 'Milliseconds until it is ended. Default 120000, at most 600000.',
  minimum: 1,
  maximum: MAX_TIMEOUT_MS,
  optional: true,
} as const;

interface RunCommandInput {
  command: string;
  timeout?: number;
}

/** `Bash` as the tool of the group `command`. */
export function runCommandTool(): Tool<RunCommandInput> {
  return defineTool({
    name: 'run_command',
    description:
      'Runs a command line with bash in the working directory; nothing is kept from one call to the next. Answers with what ' +
      'it prints (stdout and stderr together), at most 30,000 characters; a code other than 0 is an error.',
    inputSchema: objectSchema({ command: { type: 'string', description: 'The command line.' }, timeout: TIMEOUT }),
    kind: 'execute',
    streaming: true,
    subject: ({ command }) => ({ type: 'command', line: command }),
    execute: ({ command, timeout }, context) => runLine({ line: command, see: SEE, ...within(timeout) }, context),
  });
}

interface RunJavascriptInput {
  code: string;
  timeout?: number;
}

/** Runs code in its own `node` process, started through the workspace: never in this process. */
export function runJavascriptTool(): Tool<RunJavascriptInput> {
  return defineTool({
    name: 'run_javascript',
    description:
      'Runs JavaScript (an ES module, top-level await allowed) in a node process of its own, in the working directory; ' +
      'nothing is kept from one call to the next. Answers with what it prints: use console.log to see a value. At most ' +
      '30,000 characters; an uncaught error is an error.',
    inputSchema: objectSchema({ code: { type: 'string', description: 'The module.' }, timeout: TIMEOUT }),
    kind: 'execute',
    streaming: true,
    subject: () => ({ type: 'command', line: NODE }),
    execute: ({ code, timeout }, context) =>
      runLine({ line: NODE, stdin: new TextEncoder().encode(code), see: SEE, ...within(timeout) }, context),
  });
}

function within(timeout: number | undefined): { timeoutMs?: number } {
  return timeout === undefined ? {} : { timeoutMs: timeout };
}
