import {
  type AgentEvent,
  defineTool,
  type Logger,
  objectSchema,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '@x/core';
import { failure } from '../text/failure.ts';
import { counted } from '../text/numbered-lines.ts';

const MAX_CHARACTERS = 10_000;

interface ConsolePrintInput {
  text: string;
}
/** Receivers of a text for people, in addition to the event. */
export interface Console {
  readonly logger: Logger;
  readonly print?: (text: string, context: ToolContext) => void;
}

/** Shows people a text: a `notification` of kind `console`, and a line of the logger. Does not write to stdout of this process itself. */
export function consolePrintTool(console: Console): Tool<ConsolePrintInput> {
  return defineTool({
    name: 'console_print',
    description:
      'Shows a text to the people who watch this agent, at most 10,000 characters; nobody answers. What belongs to the ' +
      'answer of a task goes into the answer.',
    inputSchema: objectSchema({ text: { type: 'string', description: 'The text.' } }),
    kind: 'readonly',
    effect: 'idempotent',
    parallelSafe: false,
    execute: (input, context) => print(input, context, console),
  });
}

async function* print(
  { text }: ConsolePrintInput,
  context: ToolContext,
  { logger, print: show }: Console,
): AsyncGenerator<AgentEvent, ToolResult, void> {
  if (text.length > MAX_CHARACTERS) return failure(`At most ${counted(MAX_CHARACTERS)} characters are shown.`);
  yield { type: 'notification', kind: 'console', message: text };
  logger.info({ sessionId: context.sessionId, agentName: context.run.agentName }, text);
  show?.(text, context);
  return { output: 'Shown.', isError: false };
}
