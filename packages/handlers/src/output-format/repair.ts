import { type RunAnswer, type RunContext, SessionError, type UserMessage, userMessage } from '@x/core';
import { markOwnMessage } from '../own-messages.ts';
import { runNote } from '../run-note.ts';
import type { Fault } from './judge-answer.ts';
import type { CheckedFormat } from './output-format.ts';
import { lineOf } from './validate-output.ts';

/** Content of the note: number of repair turns in this run. */
interface Repairs {
  readonly count: number;
  /** The id of the reply after which the last one was started. */
  readonly behind: string;
}
interface RepairOptions {
  readonly answer: RunAnswer;
  readonly format: CheckedFormat;
  readonly run: RunContext;
}

/** Maximum number of repair turns in one run. */
const MAX_REPAIRS = 2;
const MAX_ISSUES = 20;
/** Characters. */
const MAX_LINE = 500;
const MAX_SCHEMA = 10_000;

/**
 * The message that asks for the answer again. A crash neither adds nor loses a turn: the note is durable before the message is used, and a
 * lost message is written again for the same reply. @throws SessionError `OUTPUT_INVALID` when a repair is useless
 */
export async function repair(fault: Fault, { answer, format, run }: RepairOptions): Promise<UserMessage> {
  const note = runNote<Repairs>(run, 'output_repairs');
  const behind = answer.messages.findLast(({ role }) => role === 'assistant')?.id ?? '';
  const noted = note.get();
  const count = noted ? noted.count - (noted.behind === behind ? 1 : 0) : 0;
  if (fault.final || count >= MAX_REPAIRS) throw outputInvalid(fault, answer.content, count);
  await note.set({ count: count + 1, behind });
  return markOwnMessage(run, userMessage(textFor(fault, answer, format)));
}

function outputInvalid({ issues, final, cause }: Fault, content: string, repairs: number): SessionError {
  const lines = linesOf(issues).join('; ');
  const tried = `The answer does not fit the output format, and ${repairs} further turns have not mended it: ${lines}`;
  return new SessionError(final ? lines : tried, {
    code: 'OUTPUT_INVALID',
    details: { content, issues, repairs },
    ...(cause === undefined ? {} : { cause }),
  });
}

function textFor({ issues }: Fault, { messages }: RunAnswer, { request }: CheckedFormat): string {
  const what =
    messages.at(-1)?.role === 'tool'
      ? 'What the tool has given was not accepted as the answer'
      : 'Your answer was not accepted';
  const schema = JSON.stringify(request.schema);
  return [
    `${what}, because it does not have the required format (${request.name}):`,
    ...linesOf(issues).map((line) => `- ${line}`),
    'Give the whole answer again, in the required format: JSON and nothing else.',
    ...(schema.length > MAX_SCHEMA ? [] : [`It must fit this JSON Schema: ${schema}`]),
  ].join('\n');
}

function linesOf(issues: Fault['issues']): string[] {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => clipped(lineOf(issue)));
  return issues.length > MAX_ISSUES ? [...lines, `and ${issues.length - MAX_ISSUES} more`] : lines;
}

function clipped(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line;
}
