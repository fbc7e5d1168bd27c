import { isDeepStrictEqual } from 'node:util';
import { type AssistantMessage, isAgentError, type Model, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import type { WireAnswer } from '../../src/testing/index.ts';
import { wireServer } from '../../src/testing/index.ts';
import type { Oracle } from '../../test/oracle/oracle.ts';

/** Longer than any stream takes on a busy machine. */
const PATIENCE_MS = 15_000;
const HANGS = Symbol('hangs');

/** How the adapter's reading of a stream stands to that of the official client. */
export interface Comparison {
  readonly verdict: 'equal' | 'different' | 'both refuse' | 'ours only' | 'theirs only';
  /** What broke a promise that holds for any stream: a hang, an error without a type, deltas that are not the text. */
  readonly fault?: string;
  readonly ours?: unknown;
  readonly theirs?: unknown;
}
/** Compares one stream after the other over real HTTP. Whoever opens it closes it. */
export interface Comparer {
  readonly compare: (answer: WireAnswer) => Promise<Comparison>;
  readonly close: () => Promise<void>;
}

/** @param patienceMs how long either reader may take for a stream; then it hangs */
export async function openComparer(oracle: Oracle, patienceMs: number = PATIENCE_MS): Promise<Comparer> {
  let current: WireAnswer = {};
  const { url, close } = await wireServer(() => current);
  const model = oracle.open(url);
  return {
    close,
    async compare(answer) {
      current = answer;
      const mine = await within(patienceMs, readingOf(model, oracle));
      if (mine === HANGS) return { verdict: 'both refuse', fault: 'it hangs' };
      const other = await within(patienceMs, settled(oracle.theirs(url)));
      const theirs = other === HANGS ? undefined : other;
      const { facts, fault } = mine;
      const faults = fault === undefined ? {} : { fault };
      if (!facts) return { verdict: theirs ? 'theirs only' : 'both refuse', theirs: theirs?.facts, ...faults };
      if (!theirs) return { verdict: 'ours only', ours: facts.value, ...faults };
      const [ours, others] = [plain(facts.value), plain(theirs.facts)];
      return { verdict: isDeepStrictEqual(ours, others) ? 'equal' : 'different', ours, theirs: others, ...faults };
    },
  };
}

/** The facts of a reply, nothing for a typed error, a fault for anything else. */
async function readingOf(
  model: Model,
  { factsOfOurs }: Oracle,
): Promise<{ facts?: { value: unknown }; fault?: string }> {
  const { signal } = new AbortController();
  try {
    const request = { instruction: 'Be brief.', messages: [userMessage('Hello')], tools: [], signal };
    const { events, value } = await collect(model.stream(request));
    const deltas = events.map((event) => (event.type === 'content' ? event.delta : '')).join('');
    const fault = deltas === textOf(value) ? bareFault(value) : 'the deltas are not the text';
    return { facts: { value: factsOfOurs(value) }, ...(fault === undefined ? {} : { fault }) };
  } catch (error) {
    if (isAgentError(error) && error.name === 'ModelError') return {};
    return { fault: `an error without a type: ${error instanceof Error ? error.stack : String(error)}` };
  }
}

/** What is wrong with a message whatever was streamed. */
function bareFault(message: AssistantMessage): string | undefined {
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(message)), message)) return 'the message is not plain JSON';
  const { inputTokens, outputTokens, totalTokens } = message.usage;
  const counts = [inputTokens, outputTokens, totalTokens];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return 'the usage is no count';
  return totalTokens === inputTokens + outputTokens ? undefined : 'the total is not the sum';
}

/** What is undefined is as good as absent. */
function plain(facts: unknown): unknown {
  return JSON.parse(JSON.stringify(facts));
}

async function settled(reading: Promise<unknown>): Promise<{ facts: unknown } | undefined> {
  return reading.then(
    (facts) => ({ facts }),
    () => undefined,
  );
}

async function within<T>(patienceMs: number, work: Promise<T>): Promise<T | typeof HANGS> {
  const late = Promise.withResolvers<typeof HANGS>();
  const timer = setTimeout(() => late.resolve(HANGS), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
