import type { AssistantMessage } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type CustomProvider,
  createSession,
  memoryStore,
  type SessionOptions,
  type SessionStore,
  sessionUsage,
} from '../../src/index.ts';
import { agentsNamed, task } from '../support/agent-scripts.ts';
import { bodiesOf, only, resultOf, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { counts, looks, smallSession } from '../support/small-session.ts';

/** All replies in the log, those of subagents too. */
async function repliesIn(store: SessionStore, sessionId: string): Promise<AssistantMessage[]> {
  return (await bodiesOf(store, sessionId)).flatMap((body) =>
    body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'assistant'
      ? [body.record.message]
      : [],
  );
}
const costsOf = (replies: readonly AssistantMessage[]) => replies.map(({ cost }) => cost);
const sum = (costs: readonly (number | undefined)[]) => costs.reduce<number>((all, cost) => all + (cost ?? 0), 0);
const prices = { main: { input: 3, output: 15 } };

describe('the cost of a message', () => {
  it('adds up to the cost of the session, with those of subagents, and of calls that made no message', async () => {
    const parts = {
      main: [looks(), looks(1_900), { toolCalls: [task('one')], usage: counts(40, 4) }, { text: 'Done.' }],
      one: [looks(), { text: 'Worked.', usage: counts(1_000, 77) }],
    };
    const { session, store } = await smallSession(parts, { agents: agentsNamed('one'), prices });
    const events = await say(session, 'Begin.');

    const replies = await repliesIn(store, session.sessionId);
    const { entries, total } = await session.usage();

    expect(entries.filter(({ purpose }) => purpose === undefined).map(({ cost }) => cost)).toEqual(costsOf(replies));
    expect(replies).toHaveLength(6);
    expect(entries).toHaveLength(7); // a compaction, which made no message
    const unsaid = sum(entries.filter(({ purpose }) => purpose !== undefined).map(({ cost }) => cost));
    expect(unsaid).toBeGreaterThan(0);
    expect(sum(costsOf(replies)) + unsaid).toBeCloseTo(total.cost.usd ?? Number.NaN, 12);
    expect(resultOf(events).cost).toBeCloseTo(total.cost.usd ?? Number.NaN, 12);
  });

  it('is that of its usage event, and of its message event', async () => {
    const usage = { ...counts(2_000, 100), cacheReadTokens: 1_500 };
    const priced = { scripted: { input: 2, output: 8, cacheRead: 0.2 } };
    const { session } = await scriptedSession([{ text: 'Hi.', usage }], { prices: priced });
    const events = await say(session, 'hello');

    const cost = (500 * 2 + 1_500 * 0.2 + 100 * 8) / 1_000_000;
    expect(session.messages.flatMap((message) => (message.role === 'assistant' ? [message.cost] : []))).toEqual([cost]);
    expect(only(events, 'usage').map((event) => event.cost)).toEqual([cost]);
  });

  it('stays what it was when the prices are others, as does that of the session', async () => {
    const store = memoryStore();
    const usage = counts(1_000_000, 0);
    const { session } = await scriptedSession([{ text: 'Hi.', usage }], {
      store,
      prices: { scripted: { input: 1, output: 0 } },
    });
    await say(session, 'hello');
    await session.close();
    const dearer = { scripted: { input: 5, output: 0 }, m: { input: 5, output: 0 } };
    const { session: later } = await resumed(store, session.sessionId, [{ text: 'Again.', usage }], { prices: dearer });
    await say(later, 'more');

    expect(costsOf(await repliesIn(store, session.sessionId))).toEqual([1, 5]);
    expect((await later.usage()).total.cost.usd).toBe(6);
    expect((await sessionUsage(store, session.sessionId)).total.cost.usd).toBe(6); // by nobody's prices
  });

  it('is absent while the price is not known, and is found in the usage once it is', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'Hi.', usage: counts(1_000_000, 0) }], { store });
    await say(session, 'hello');

    const [reply] = await repliesIn(store, session.sessionId);

    expect(reply).not.toHaveProperty('cost');
    expect((await session.usage()).total.cost.usd).toBeUndefined();
    const known = await sessionUsage(store, session.sessionId, { prices: { scripted: { input: 4, output: 0 } } });
    expect(known.total.cost.usd).toBe(4);
  });

  it.each<[string, SessionOptions['prices'], number]>([
    ['built in', {}, 2.5],
    ["the host's", { 'gpt-4o': { input: 100, output: 0 } }, 100],
  ])('goes by prices that are %s', async (_, own, cost) => {
    const model = scriptedModel([{ text: 'Hi.', usage: counts(1_000_000, 0) }], { name: 'gpt-4o' });
    const provider: CustomProvider = { type: 'custom', createModel: () => model };
    const store = memoryStore();
    const session = await createSession({ provider, model: 'gpt-4o', store, prices: own ?? {} });
    await say(session, 'hello');

    expect(costsOf(await repliesIn(store, session.sessionId))).toEqual([cost]);
  });

  it('is what a model of the host says of its reply, which no price can know better', async () => {
    const scripted = scriptedModel([{ text: 'Hi.', usage: counts(1_000_000, 0) }]);
    const model = {
      ...scripted,
      async *stream(request: Parameters<typeof scripted.stream>[0]) {
        return { ...(yield* scripted.stream(request)), cost: 0.07 };
      },
    };
    const provider: CustomProvider = { type: 'custom', createModel: () => model };
    const session = await createSession({
      provider,
      model: 'scripted',
      store: memoryStore(),
      prices: { scripted: { input: 1, output: 1 } },
    });
    const events = await say(session, 'hello');

    expect(resultOf(events).cost).toBe(0.07);
    expect((await session.usage()).total.cost.usd).toBe(0.07);
  });

  it('is there for a reply that was interrupted, as an estimate', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'some text', hangs: true }], {
      store,
      prices: { scripted: { input: 1e6, output: 1e6 } },
    });
    await session.send('hello');
    for await (const event of session.stream()) if (event.type === 'content') session.abort();

    const [reply] = await repliesIn(store, session.sessionId);

    expect(reply).toMatchObject({ stopReason: 'interrupted', usage: { estimated: true } });
    expect(reply?.cost).toBe((await session.usage()).total.cost.usd);
    expect(reply?.cost).toBeGreaterThan(0);
  });
});
