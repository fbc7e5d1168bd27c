import { AgentError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type CustomProvider,
  createSession,
  memoryStore,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, only, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { abandonedAt, expiring, resumed } from '../support/resumed.ts';
import { threeStores } from '../support/three-stores.ts';

/** A dollar for each reply: it has ten tokens of input. */
const dollar = { input: 100_000, output: 0 };
const prices = { scripted: dollar, m: dollar };
const calls = { toolCalls: [{ name: 'echo', input: { text: 'on' } }] };
const options = { prices, tools: [echoTool()] };
const openai = { type: 'openai-compatible', apiKey: 'k' } as const;

describe('maxCost', () => {
  it('is spent: the run fails before its next model call, with its calls answered, and the next message has as much', async () => {
    const script = [calls, calls, calls, { text: 'Done.' }];
    const { session, model } = await scriptedSession(script, { ...options, maxCost: 2 });

    const events = await say(session, 'Begin.');

    expect(resultOf(events)).toMatchObject({
      subtype: 'error',
      code: 'COST_LIMIT',
      retryable: false,
      cost: 2,
      turns: 2,
    });
    expect(only(events, 'tool_result')).toHaveLength(2);
    expect(model.requests).toHaveLength(2);
    expect(resultOf(await say(session, 'Go on.'))).toMatchObject({ subtype: 'success', content: 'Done.', cost: 2 });
    await session.close();
  });

  it('counts subagents, and one that spends it ends the run of the session', async () => {
    const parts = { main: [{ toolCalls: [task('one')] }, { text: 'On.' }], one: [calls, calls, { text: 'Worked.' }] };
    const more = { allowedTools: ['Task', 'echo'], agents: agentsNamed('one'), maxCost: 3 };
    const { session } = await scriptedSession(cast(parts), { ...options, ...more });

    expect(resultOf(await say(session, 'Begin.'))).toMatchObject({ subtype: 'error', code: 'COST_LIMIT', cost: 3 });
    await session.close();
  });

  describe.each(threeStores())('in %s', (_, open) => {
    it.each([1, 200])('counts %i calls that were paid before a crash', async (paid) => {
      const store = expiring(open());
      const work = toolNamed('work', async () => 'worked', { kind: 'readonly', effect: 'idempotent' });
      const before = Array.from({ length: paid - 1 }, (_one, index) => ({
        toolCalls: [{ name: 'echo', input: { text: `${index}` } }],
      }));
      const given = { store, prices, maxTurns: 500 };
      const { sessionId } = await abandonedAt([...before, { toolCalls: [{ name: 'work' }] }], work, given);

      const more = { ...given, tools: [work, echoTool()], allowedTools: ['work', 'echo'], maxCost: paid + 1 };
      const { session, model } = await resumed(store, sessionId, [calls, calls, calls], more);
      const result = resultOf(await Array.fromAsync(session.stream()));
      await session.close();

      expect(model.requests).toHaveLength(1);
      expect(result).toMatchObject({ subtype: 'error', code: 'COST_LIMIT', cost: paid + 1 });
    });
  });

  it.each([1, 2])('is known where read %i of the log has to wait for a slow store', async (nth) => {
    const inner = expiring(memoryStore());
    let reads = Number.NEGATIVE_INFINITY;
    const read: SessionStore['read'] = (...given) => {
      reads += 1;
      if (reads !== nth) return inner.read(...given);
      throw new AgentError('The store is locked', { code: 'STORE_BUSY', retryable: true });
    };
    const work = toolNamed('work', async () => 'worked', { kind: 'readonly', effect: 'idempotent' });
    const { sessionId } = await abandonedAt({ toolCalls: [{ name: 'work' }] }, work, { store: inner, prices });
    const more = { prices, tools: [work], allowedTools: ['work'], maxCost: 10 };
    const { session } = await resumed({ ...inner, read }, sessionId, [{ text: 'Done.' }], more);
    reads = 0;

    const result = resultOf(await Array.fromAsync(session.stream()));
    await session.close();

    expect(result).toMatchObject({ subtype: 'success', cost: 2 });
    expect(reads).toBeGreaterThan(nth);
  });

  it('is never taken for unspent where a price is not known', async () => {
    const { session, model } = await scriptedSession([calls, calls], { tools: [echoTool()], maxCost: 100 });

    const result = resultOf(await say(session, 'Begin.'));
    await session.close();

    expect(result).toMatchObject({ subtype: 'error', code: 'COST_LIMIT' });
    expect(result.error).toContain('give it in prices');
    expect(model.requests).toHaveLength(1);
  });

  it('goes by the cost that a model of the host tells itself', async () => {
    const scripted = scriptedModel([calls, calls, { text: 'Done.' }]);
    const provider: CustomProvider = {
      type: 'custom',
      createModel: () => ({
        ...scripted,
        name: 'mine',
        async *stream(request) {
          return { ...(yield* scripted.stream(request)), cost: 0.5 };
        },
      }),
    };
    const session = await createSession({
      provider,
      model: 'mine',
      store: memoryStore(),
      tools: [echoTool()],
      maxCost: 1,
    });

    expect(resultOf(await say(session, 'Begin.'))).toMatchObject({ code: 'COST_LIMIT', cost: 1, turns: 2 });
    await session.close();
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['the model', { model: 'of-nobody' }],
    ['a fallback', { model: 'gpt-4o', fallbackModel: 'of-nobody' }],
    [
      'an agent',
      { model: 'gpt-4o', agents: [{ name: 'a', description: 'A.', systemPrompt: 'A.', model: 'of-nobody' }] },
    ],
  ])('is refused when the price of %s is not known', async (_, more) => {
    const given = { provider: openai, store: memoryStore(), maxCost: 1, ...more } as SessionOptions;

    await expect(createSession(given)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'maxCost' });
    const session = await createSession({ ...given, prices: { 'of-nobody': { input: 1, output: 1 } } });
    await session.close();
  });

  it('takes any model of a service that tells the cost of its replies', async () => {
    const provider = { ...openai, baseUrl: 'https://openrouter.ai/api/v1' };
    const session = await createSession({ provider, model: 'vendor/model', store: memoryStore(), maxCost: 1 });

    await expect(session.setModel('vendor/other')).resolves.toBeUndefined();
    await session.close();
  });

  it('refuses a later model without a price', async () => {
    const session = await createSession({ provider: openai, model: 'gpt-4o', store: memoryStore(), maxCost: 1 });

    await expect(session.setModel('of-nobody')).rejects.toMatchObject({ field: 'maxCost' });
    await session.setModel('gpt-4o-mini');
    await session.close();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('cannot be %s', async (maxCost) => {
    await expect(scriptedSession([], { maxCost: maxCost as number })).rejects.toMatchObject({ field: 'maxCost' });
  });
});
