import { fc, test } from '@fast-check/vitest';
import type { Message } from '@x/core';
import { type CompactionRecord, compacted } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { answered, histories, longTurn, said } from '../../test/histories.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type CutPlan, planCut } from './plan-cut.ts';

const options = fc.record({ keepTokens: fc.nat(400), keepTurns: fc.integer({ min: 1, max: 4 }) });
const pins = fc.func(fc.boolean()).map((choose) => ({ pinned: (message: Message) => choose(message.id) }));

/** The history as the model would see it. */
function viewOf(messages: readonly Message[], { kept, pinned }: CutPlan): readonly Message[] {
  const record: CompactionRecord = {
    type: 'compaction',
    id: crypto.randomUUID(),
    createdAt: '2031-01-01T00:00:00.000Z',
    summary: 'What was said.',
    keptFrom: kept[0]!.id,
    pinned: pinned.map(({ id }) => id),
    tokensBefore: 1,
  };
  return compacted(messages, record);
}

/** What a service refuses: answers without their calls, calls without their answers. */
function faultsOf(messages: readonly Message[]): string[] {
  const faults = messages[0]?.role === 'user' ? [] : ['does not begin with a user message'];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked =
      before?.role === 'assistant' ? before.content.flatMap((one) => (one.type === 'tool_use' ? one.id : [])) : [];
    const given = message.role === 'tool' ? message.content.map(({ toolUseId }) => toolUseId) : [];
    if (asked.join() !== given.join()) faults.push(`${index}: calls ${asked.join()}, answers ${given.join()}`);
  }
  return faults;
}

describe('planCut', () => {
  test.prop([histories, options, pins])('leaves a history that services accept', (messages, cut, pin) => {
    const plan = planCut(messages, { ...cut, ...pin });

    expect(faultsOf(plan ? viewOf(messages, plan) : messages)).toEqual([]);
  });

  test.prop([histories, options, pins])('puts each message in one list, in its order', (messages, cut, pin) => {
    const plan = planCut(messages, { ...cut, ...pin });
    const { replaced, pinned, kept } = plan ?? { replaced: [], pinned: [], kept: messages };
    const older = messages.slice(0, messages.length - kept.length);

    expect(kept).toEqual(messages.slice(older.length));
    expect(older.filter((message) => !replaced.includes(message))).toEqual(pinned);
    expect(older.filter((message) => !pinned.includes(message))).toEqual(replaced);
  });

  test.prop([histories, options, pins])(
    'never replaces a pinned message or the last one of the user',
    (messages, cut, pin) => {
      const { replaced } = planCut(messages, { ...cut, ...pin }) ?? { replaced: [] };

      expect(replaced.filter(pin.pinned)).toEqual([]);
      expect(replaced).not.toContain(messages.findLast(({ role }) => role === 'user'));
    },
  );

  test.prop([histories, options])(
    'keeps what fits, and more only where nothing smaller can be cut off',
    (messages, cut) => {
      const { kept } = planCut(messages, cut) ?? { kept: [] };
      const units = kept.filter(({ role }) => role !== 'tool');

      expect(estimateTokens(kept) <= cut.keepTokens || units.length === 1).toBe(true);
    },
  );

  test.prop([histories, options, pins])('finds nothing to cut in what it has left', (messages, cut, pin) => {
    const plan = planCut(messages, { ...cut, ...pin });
    const view = plan ? viewOf(messages, plan) : messages;

    // safe: ids of the view are those of the history, but for the summary, which nobody pins
    const again = planCut(view, { ...cut, pinned: (message) => message !== view[0] && pin.pinned(message) });

    expect(plan && again).toBeUndefined();
  });

  it('keeps the last two turns when they fit', () => {
    const turns = [1, 2, 3].map((second) => [said(`Task ${second}.`, second), ...answered({ text: 'Done.', second })]);

    const plan = planCut(turns.flat(), { keepTokens: 1000 });

    expect(plan?.replaced).toEqual(turns[0]);
    expect(plan?.kept).toEqual([...turns[1]!, ...turns[2]!]);
  });

  it('keeps fewer turns when two do not fit', () => {
    const turns = [1, 2, 3].map((second) => [said('x'.repeat(400), second), ...answered({ text: 'Done.', second })]);

    const plan = planCut(turns.flat(), { keepTokens: 150 });

    expect(plan?.kept).toEqual(turns[2]);
  });

  it('cuts one long turn between two replies, and keeps the task', () => {
    const messages = longTurn(6, 400);

    const plan = planCut(messages, { keepTokens: 250 });

    expect(plan?.pinned).toEqual([messages[0]]);
    expect(plan?.replaced).toEqual(messages.slice(1, 9));
    expect(plan?.kept).toEqual(messages.slice(9));
  });

  it('keeps the last reply and its answers, however large they are', () => {
    const messages = longTurn(3, 40_000);

    expect(planCut(messages, { keepTokens: 100 })?.kept).toEqual(messages.slice(-2));
  });

  it('pins the reply with the answers, and the answers with the reply', () => {
    const messages = longTurn(5, 400);

    for (const index of [3, 4]) {
      const plan = planCut(messages, { keepTokens: 150, pinned: (message) => message === messages[index] });

      expect(plan?.pinned).toEqual([messages[0], messages[3], messages[4]]);
    }
  });

  it.each([[[]], [[said('Go.')]], [longTurn(1, 10)]])('has nothing to cut in a short history', (messages) => {
    expect(planCut(messages, { keepTokens: 1000 })).toBeUndefined();
  });
});
