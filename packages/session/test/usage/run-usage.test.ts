import type { TokenUsage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { type Script, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { bodiesOf, only, resultOf, say } from '../support/makers.ts';
import { counts, look, looks, smallSession } from '../support/small-session.ts';

const sum = (usages: readonly TokenUsage[]) => usages.reduce(addUsage, noUsage());

describe('the usage of a run', () => {
  it('is the sum of its usage events, those of subagents and of compactions included', async () => {
    const parts = {
      main: [looks(), looks(1_900), { toolCalls: [task('one')], usage: counts(40, 4) }, { text: 'Done.' }],
      one: [looks(), looks(1_900), { toolCalls: [task('two')], usage: counts(30, 3) }, { text: 'Worked.' }],
      two: [{ text: 'Helped.', usage: counts(1_000, 500) }],
    };
    const { session, seen } = await smallSession(parts, { agents: agentsNamed('one', 'two') });

    const events = await say(session, 'Begin.');

    const { usage, subtype } = resultOf(events);
    const told = only(events, 'usage').map((event) => event.usage);
    // Observers see an event of a subagent as its own; wrapped in those of the agents around it, it is the same once more.
    const all = seen.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expect(subtype).toBe('success');
    expect(all).toHaveLength(4 + 4 + 1 + 2);
    expect(all.filter(({ inputTokens }) => inputTokens === 7)).toHaveLength(2); // a compaction of each
    expect(sum(all)).toEqual(usage);
    expect(told).toHaveLength(5); // readers see those of the main agent
    expect((await session.usage()).total).toMatchObject({ calls: 11, usage });
  });

  it('has an entry for each call, with its agent, its model, its purpose and all its counts', async () => {
    const full = { ...counts(1_900, 10), cacheReadTokens: 50, cacheWriteTokens: 20, reasoningTokens: 4 };
    const parts = {
      main: [{ toolCalls: [task('one')], usage: full }, { text: 'Done.' }],
      one: [looks(), looks(1_900), { text: 'Worked.' }],
    };
    const { session, store } = await smallSession(parts, { agents: agentsNamed('one') });
    await say(session, 'Begin.');

    const { entries } = await session.usage();

    expect(entries.map(({ agentPath, purpose = '', model }) => `${agentPath.join('/')} ${model} ${purpose}`)).toEqual([
      'main main ',
      'main/one main ',
      'main/one main ',
      'main/one main compaction',
      'main/one main ',
      'main main ',
    ]);
    const { totalTokens: _, ...rest } = full;
    expect(entries[0]).toMatchObject({ provider: 'scripted', ...rest });
    const recorded = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'run_ended' ? [body.usage] : [],
    );
    expect(recorded).toEqual([(await session.usage()).total.usage]);
  });

  it('costs what the prices of the host say, before the built-in ones, and is unknown without one', async () => {
    const parts = { main: [{ text: 'Done.', usage: counts(1_000_000, 1_000_000) }] };
    const cost = async (name: string, prices?: SessionOptions['prices']) => {
      const model = scriptedModel(cast(parts), { name });
      const provider: CustomProvider = { type: 'custom', createModel: () => model };
      const session = await createSession({
        provider,
        model: name,
        store: memoryStore(),
        ...(prices ? { prices } : {}),
      });
      await say(session, 'Begin.');
      return (await session.usage()).total.cost.usd;
    };

    const builtIn = await cost('gpt-4o');
    expect(builtIn).toBeGreaterThan(0);
    expect(await cost('gpt-4o', { 'gpt-4o': { input: 100, output: 200 } })).toBe(300);
    expect(await cost('of-nobody', { 'gpt-4o': { input: 100, output: 200 } })).toBeUndefined();
    expect(await cost('of-nobody', { 'of-nobody': { input: 0, output: 0 } })).toBe(0);
  });

  it('has what a compaction has used that an abort has cut off behind an overflow, in the log too', async () => {
    const script: Script = (_, turn) => {
      if (turn < 4) return looks();
      if (turn === 4) return { error: Object.assign(new Error('too long'), { contextOverflow: true }) };
      setImmediate(() => session.abort());
      return { hangs: true };
    };
    const model = scriptedModel(script);
    const provider: CustomProvider = { type: 'custom', createModel: () => model };
    const inner = memoryStore();
    const append: typeof inner.append = async (...given) => {
      await new Promise((resolve) => setImmediate(resolve)); // as a disk would
      return await inner.append(...given);
    };
    const store = { ...inner, append };
    const session = await createSession({ provider, model: 'm', store, tools: [look], allowedTools: ['look'] });

    const { subtype, usage } = resultOf(await say(session, 'Begin.'));

    const ended = (await bodiesOf(store, session.sessionId)).findLast((body) => body.type === 'run_ended');
    const { total } = await session.usage();
    expect([subtype, total.calls]).toEqual(['aborted', 4]);
    expect([usage, ended?.usage]).toEqual([total.usage, total.usage]);
  });
});
