import { AgentError, type RunEnd } from '@x/core';
import { type WireAnswer, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, only, resultOf, say, scriptedSession } from '../support/makers.ts';

/** One run whose service gives this answer: what the reader, a handler and the log are told of its end. */
async function failing(answer: WireAnswer) {
  const server = await wireServer(answer);
  const store = memoryStore();
  const ends: RunEnd[] = [];
  const session = await createSession({
    provider: { type: 'openai-compatible', apiKey: 'key-4711', baseUrl: `${server.url}/v1` },
    model: 'm',
    store,
    retryBudgetMs: 0,
    handlers: [{ name: 'ends', runEnded: (end) => void ends.push(end) }],
  });
  const events = await say(session, 'Hello?');
  await session.close();
  await server.close();
  const logged = (await bodiesOf(store, session.sessionId)).findLast((body) => body.type === 'run_ended');
  return { error: only(events, 'error')[0], result: resultOf(events), end: ends[0], logged };
}

const answer = (status: number, error: object): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'retry-after': '7', 'x-request-id': 'req-1' },
  body: JSON.stringify({ error }),
});

describe('a run that its model has ended', () => {
  it.each([
    [answer(401, { message: 'no', code: 'invalid_api_key' }), 'AUTHENTICATION_ERROR', false],
    [answer(404, { message: 'no model', code: 'model_not_found' }), 'MODEL_NOT_FOUND', false],
    [answer(429, { message: 'slow down' }), 'RATE_LIMIT_EXCEEDED', true],
    [answer(503, { message: 'overloaded' }), 'MODEL_OVERLOADED', true],
  ])('tells reader, handlers and log why: %#', async ({ status, ...rest }, code, retryable) => {
    const { error, result, end, logged } = await failing({ status: status!, ...rest });

    const facts = { code, status, retryable, retryAfter: 7, requestId: 'req-1', provider: 'openai-compatible' };
    const message = expect.stringContaining(`answered ${status}`);
    expect(error).toEqual({ type: 'error', message, ...facts });
    expect(result).toMatchObject({ subtype: 'error', error: message, ...facts, turns: 0 });
    expect(end).toMatchObject({ subtype: 'error', error: { message, ...facts } });
    expect(logged).toMatchObject({ subtype: 'error', error: { message, ...facts } });
  });
});

const usage = { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 };
const told = async (options: Partial<SessionOptions>) => {
  const script = [
    { toolCalls: [{ name: 'unknown' }], usage },
    { text: 'Half of', usage, stopReason: 'length' as const },
  ];
  const { session } = await scriptedSession(script, options);
  const events = await say(session, 'Hello?');
  return { usages: only(events, 'usage'), result: resultOf(events) };
};

describe('what a run has taken', () => {
  it('is in its usage events and in its result', async () => {
    const { usages, result } = await told({ prices: { scripted: { input: 3, output: 15 } } });

    const durationMs = expect.any(Number);
    const facts = { model: 'scripted', cost: 3, durationMs, usage };
    expect(usages).toEqual([
      { type: 'usage', ...facts, stopReason: 'tool_use', turns: 1 },
      { type: 'usage', ...facts, stopReason: 'length', turns: 2 },
    ]);
    expect(result).toMatchObject({ model: 'scripted', stopReason: 'length', cost: 6, durationMs, turns: 2 });
  });

  it('has no cost where the price is not known', async () => {
    const { usages, result } = await told({});

    for (const event of [...usages, result]) expect(event).not.toHaveProperty('cost');
  });

  it('says nothing of a model that has not answered', async () => {
    const { session } = await scriptedSession([{ error: new AgentError('gone', { code: 'MODEL_ERROR' }) }]);

    const result = resultOf(await say(session, 'Hello?'));

    expect(result).toMatchObject({ turns: 0, cost: 0 });
    expect(result).not.toHaveProperty('model');
  });
});
