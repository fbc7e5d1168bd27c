import { type AssistantMessage, type RunAnswer, type RunContext, textOf } from '@x/core';
import { withoutNulls } from '@x/json-schema';
import type { CheckedFormat } from './output-format.ts';
import { readJson } from './read-json.ts';
import { type OutputIssue, validateOutput } from './validate-output.ts';

/** The faults of an answer. */
export interface Fault {
  readonly issues: readonly OutputIssue[];
  /** Set when another attempt would be useless. */
  readonly final?: true;
  readonly cause?: unknown;
}
/** A valid answer: its JSON text, and the value that the schema returns. */
export interface Fitting {
  readonly content: string;
  readonly structured: unknown;
}

/** Reads and parses an answer; undefined when the run ends in the meantime. */
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
  // a model without enforced format may have left out the wrapping
  const bare = await fitting(read, format, run);
  return bare && 'structured' in bare ? bare : judged;
}

/** Parses one reading of the answer. */
async function fitting(
  { json, value }: { readonly json: string; readonly value: unknown },
  format: CheckedFormat,
  run: RunContext,
): Promise<Fitting | Fault | undefined> {
  // Services without optional properties make the model write null for them.
  const validated = await validateOutput(format.schema, withoutNulls(value, format.json), run);
  if (!validated) return undefined;
  return 'value' in validated ? { content: json, structured: validated.value } : validated;
}

/** The only member of an object that wraps the answer. */
function valueIn(value: unknown): { readonly value: unknown } | undefined {
  const isWrapping = typeof value === 'object' && value !== null && Object.keys(value).join() === 'value';
  return isWrapping ? (value as { readonly value: unknown }) : undefined; // safe: its only key
}

const CUT = 'The answer was cut off at the limit of its length before it was complete; it has to be shorter.';

/** The reply with the answer; undefined when a tool has given it. */
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

/** True when the text shows its own end: `12` may have been the beginning of `123`. */
function hasEnd(json: string): boolean {
  return /^[{["]/.test(json);
}
