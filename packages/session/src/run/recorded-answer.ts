import type { RunOutcome } from '@x/executor/internal';
import { isDeepEqual } from '../host/deep-equal.ts';
import type { EntryBody } from '../log/entry.ts';

type RunEnded = Extract<EntryBody, { type: 'run_ended' }>;

/** Characters of JSON: with more, the entry would be stored apart, and the rows of sessions could not say how the run has ended. */
const MOST = 128 * 1024;

/**
 * The answer as the end of a run records it, for those who follow from elsewhere: text that is not that of the last reply, and the value
 * that was made of it, where JSON says it exactly. Empty for an answer that is the last reply, or a large one.
 */
export function recordedAnswer(outcome: RunOutcome): Pick<RunEnded, 'content' | 'structured'> {
  if ('failure' in outcome) return {};
  const { content, structured } = outcome;
  const answer = {
    ...(content === undefined ? {} : { content }),
    ...(isJson(structured) ? { structured } : {}),
  };
  return Object.keys(answer).length > 0 && JSON.stringify(answer).length > MOST ? {} : answer;
}

function isJson(value: unknown): boolean {
  if (value === undefined) return false;
  try {
    const text = JSON.stringify(value) as string | undefined; // undefined for a function
    return text !== undefined && isDeepEqual(JSON.parse(text), value);
  } catch {
    return false; // a circle, or a bigint
  }
}
