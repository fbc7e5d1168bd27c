import { type AssistantMessage, type RunAnswer, type RunContext, textOf } from '@x/core';
import { withoutNulls } from '@x/json-schema';
import type { CheckedFormat } from './output-format.ts';
import { readJson } from './read-json.ts';
import { type OutputIssue, validateOutput } from './validate-output.ts';

/** What is wrong with an answer. */
export interface Fault {
  readonly issues: readonly OutputIssue[];
  /** Why asking again is in vain. */
  readonly final?: true;
  readonly cause?: unknown;
}
/** An answer that fits: its JSON text, and what the schema makes of it. */
export interface Fitting {
  readonly content: string;
  readonly structured: unknown;
}

/** Reads and parses an answer; undefined when the run ends meanwhile. */
export async function judgeAnswer(
  answer: RunAnswer,
  format: CheckedFormat,
  run: RunContext,
): Promise<Fitting | Fault | undefined> {
  const reply = speaker(answer);
  if (reply?.stopReason === 'refusal') return { issues: [refusalIssue(reply)], final: true };
  const read = readJson(answer.content);
  const isCut = reply?.stopReason === 'length';
  if ('fault' in read) return whole(isCut ? CUT : read.fault);
  if (isCut && !hasEnd(read.json)) return whole(CUT);
  const unwrapped = format.isWrapped ? valueIn(read.value) : undefined;
  if (!unwrapped) return fitting(read, format, run);
  const inside = { json: JSON.stringify(unwrapped.value), value: unwrapped.value };
  const judged = await fitting(inside, format, run);
  if (!judged || 'structured' in judged) return judged;
  // a model that was not held to the form may have left the wrapping out
  const bare = await fitting(read, format, run);
  return bare && 'structured' in bare ? bare : judged;
}

/** Parses one reading of the answer. */
async function fitting(
  { json, value }: { readonly json: string; readonly value: unknown },
  format: CheckedFormat,
  run: RunContext,
): Promise<Fitting | Fault | undefined> {
  // Services that know no optional properties have the model write null for them.
  const validated = await validateOutput(format.schema, withoutNulls(value, format.json), run);
  if (!validated) return undefined;
  return 'value' in validated ? { content: json, structured: validated.value } : validated;
}

/** The one member of an object that wraps the answer. */
function valueIn(value: unknown): { readonly value: unknown } | undefined {
  const isWrapping = typeof value === 'object' && value !== null && Object.keys(value).join() === 'value';
  return isWrapping ? (value as { readonly value: unknown }) : undefined; // safe: its only key
}

const CUT = 'The answer was cut off at the limit of its length before it was complete; it has to be shorter.';

/** Whose words the answer is; undefined where a tool has given it. */
function speaker({ messages }: RunAnswer): AssistantMessage | undefined {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last : undefined;
}

function refusalIssue(reply: AssistantMessage): OutputIssue {
  const said = textOf(reply).trim();
  return { path: '', message: `The model refused to answer${said === '' ? '.' : `: ${said}`}` };
}

function whole(message: string): Fault {
  return { issues: [{ path: '', message }] };
}

/** Whether the text says itself where it ends: `12` may have been the beginning of `123`. */
function hasEnd(json: string): boolean {
  return /^[{["]/.test(json);
}
