import { AsyncLocalStorage } from 'node:async_hooks';
import type { AgentHandler } from '@x/core';
import { steppedWithin } from '@x/core/streams';

type Method = Exclude<keyof AgentHandler, 'name' | 'prototype'>;

/** A session whose run waits for the calling code, and the sessions that wait for it in turn. */
interface Waiting {
  readonly sessionId: string;
  readonly outer: Waiting | undefined;
}

const waiting = new AsyncLocalStorage<Waiting>();

/** The kind of result of each handler method. A wrapped model call is abandoned at an abort, so nobody waits for it for long. */
const METHODS: Readonly<Record<Method, 'value' | 'stream' | 'left behind'>> = {
  beforeAgent: 'value',
  beforeUserMessage: 'value',
  beforeModelRewriteHistory: 'value',
  afterModelRewriteHistory: 'value',
  afterAgent: 'value',
  checkAnswer: 'value',
  onEvent: 'value',
  runEnded: 'value',
  wrapModelCall: 'left behind',
  wrapToolCall: 'stream',
  wrapInvokableToolCall: 'value',
  wrapStreamableToolCall: 'stream',
};

/**
 * True when the calling code is a handler or a hook of this session, or was called by one: waiting for the run would then wait for itself.
 */
export function isWaitedForBy(sessionId: string): boolean {
  for (let one = waiting.getStore(); one; one = one.outer) if (one.sessionId === sessionId) return true;
  return false;
}

/** Runs work that the session waits for. */
export function waitedForBy<R>(sessionId: string, work: () => R): R {
  return waiting.run({ sessionId, outer: waiting.getStore() }, work);
}

/** Wraps a checked handler, so that its methods are known to be awaited by a run of the session. */
export function handlerWithinRun(handler: AgentHandler, sessionId: string): AgentHandler {
  const within: Record<string, unknown> = { name: handler.name };
  for (const [name, kind] of Object.entries(METHODS)) {
    const method: unknown = handler[name as Method]; // safe: the keys of METHODS
    if (typeof method !== 'function') continue;
    if (kind === 'left behind') within[name] = method.bind(handler);
    else
      within[name] = (...values: unknown[]): unknown => {
        const result: unknown = waitedForBy(sessionId, () => Reflect.apply(method, handler, values));
        return kind === 'stream' ? streamWithinRun(result as AsyncGenerator, sessionId) : result; // safe: says METHODS
      };
  }
  return within as unknown as AgentHandler; // safe: the same methods
}

function streamWithinRun(stream: AsyncGenerator, sessionId: string): AsyncGenerator {
  if (typeof stream?.[Symbol.asyncIterator] !== 'function') return stream; // the pipeline says what is wrong with it
  return steppedWithin(stream, (step) => waitedForBy(sessionId, step));
}
