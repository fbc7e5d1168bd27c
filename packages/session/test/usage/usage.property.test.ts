import { fc, test } from '@fast-check/vitest';
import type { StreamMessage, TokenUsage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { describe, expect } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { sessionUsage } from '../../src/log/usage.ts';
import { echoTool, only, scriptedSession, toolNamed } from '../support/makers.ts';

const count = fc.nat(100_000);
const usage = fc.record(
  { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
);
const reply = fc.record({ usage, calls: fc.array(fc.constantFrom('echo', 'fails'), { maxLength: 3 }) });
const ending = fc.record({ how: fc.constantFrom('reads', 'leaves', 'aborts', 'model fails'), at: fc.nat(20) });
const runs = fc.array(fc.record({ replies: fc.array(reply, { maxLength: 4 }), ending }), {
  minLength: 1,
  maxLength: 3,
});
type Runs = typeof runs extends fc.Arbitrary<infer T> ? T : never;

const PRICES = {
  scripted: { input: 3, output: 15, cacheRead: 0.3, long: { input: 6, output: 22.5, overTokens: 50_000 } },
};

/** Plays the runs one after another; the usage events that readers saw, and the usage of each run's result. */
async function played(plan: Runs) {
  let run = -1;
  let turn = 0;
  const script = () => {
    const { replies, ending: end } = plan[run]!;
    const next = replies[turn++];
    if (end.how === 'model fails' && turn > end.at) return { error: new Error('x') };
    return {
      text: ['a', 'b'],
      ...(next
        ? {
            usage: next.usage,
            toolCalls: next.calls.map((name) => ({ name, input: name === 'echo' ? { text: 't' } : {} })),
          }
        : {}),
    };
  };
  const store = memoryStore();
  const fails = toolNamed('fails', () => Promise.reject(new Error('x')));
  const { session } = await scriptedSession(script, { store, tools: [echoTool(), fails], prices: PRICES });
  const events: StreamMessage[] = [];
  for (const { ending: end } of plan) {
    run += 1;
    turn = 0;
    let seen = 0;
    await session.send('go');
    for await (const event of session.stream()) {
      events.push(event);
      seen += 1;
      if (seen > end.at && end.how === 'leaves') break;
      if (seen > end.at && end.how === 'aborts') session.abort();
    }
  }
  return { store, sessionId: session.sessionId, events, left: plan.some((one) => one.ending.how === 'leaves') };
}

const sum = (usages: readonly TokenUsage[]) => usages.reduce(addUsage, noUsage());

describe('sessionUsage', () => {
  test.prop([runs])('comes to what the runs have told and recorded, however they ended', async (plan) => {
    const { store, sessionId, events, left } = await played(plan);

    const { entries, byModel, total } = await sessionUsage(store, sessionId);

    const recorded: TokenUsage[] = [];
    for await (const { body } of store.read(sessionId)) if (body.type === 'run_ended') recorded.push(body.usage);
    expect(total.usage).toEqual(sum(recorded));
    expect(left || total.usage).toEqual(left || sum(only(events, 'usage').map((event) => event.usage)));
    expect(sum(byModel.map((one) => one.usage))).toEqual(total.usage);
    expect(byModel.reduce((calls, one) => calls + one.calls, 0)).toBe(entries.length);
  });

  test.prop([runs])('costs exactly what its messages and the calls without one cost', async (plan) => {
    const { store, sessionId } = await played(plan);

    const { entries, total } = await sessionUsage(store, sessionId, { prices: PRICES });

    const costs: (number | undefined)[] = [];
    for await (const { body } of store.read(sessionId)) {
      const record = body.type === 'record' ? body.record : undefined;
      if (record?.type === 'message' && record.message.role === 'assistant') costs.push(record.message.cost);
      if (record?.type === 'note' && record.name === 'usage') costs.push(entries[costs.length]?.cost);
    }
    expect(costs).toEqual(entries.map(({ cost }) => cost));
    expect(costs.reduce((all = 0, cost = Number.NaN) => all + cost, 0)).toBe(total.cost.usd);
  });
});
