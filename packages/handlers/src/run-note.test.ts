import type { Journal, RunRecord } from '@x/core';
import { describe, expect, it } from 'vitest';
import { run } from '../test/values.ts';
import { runNote } from './run-note.ts';

/** A run whose journal keeps what is written and holds these notes of an interrupted attempt. */
function journalled(past: Readonly<Record<string, unknown>> = {}) {
  const written: RunRecord[] = [];
  const gate = Promise.withResolvers<void>();
  const journal: Journal = {
    past: { messages: [], turns: 0, call: () => undefined, note: (name: string) => past[name] },
    write: (...records: readonly RunRecord[]) => (written.push(...records), gate.promise),
    claimCallId: (id: string) => id,
    child: () => journal,
  };
  return { current: { ...run(), journal }, written, durable: gate.resolve };
}

describe('runNote', () => {
  it('is undefined until something is set, then what was set last, for everyone who asks by its name', async () => {
    const { current, durable } = journalled();
    durable();

    const before = runNote<number>(current, 'count').get();
    await runNote<number>(current, 'count').set(1);
    await runNote<number>(current, 'count').set(2);

    expect(before).toBeUndefined();
    expect(runNote<number>(current, 'count').get()).toBe(2);
    expect(runNote(current, 'other').get()).toBeUndefined();
    expect(runNote(journalled().current, 'count').get()).toBeUndefined();
  });

  it('writes a note, and is set when the note is durable', async () => {
    const { current, written, durable } = journalled();
    let isSet = false;

    const setting = runNote(current, 'todo')
      .set({ items: ['a'] })
      .then(() => (isSet = true));
    await Promise.resolve();

    expect(written).toEqual([{ type: 'note', name: 'todo', data: { items: ['a'] } }]);
    expect(isSet).toBe(false);
    durable();
    await setting;
    expect(isSet).toBe(true);
  });

  it('loses nothing when calls that run together count up', async () => {
    const { current, durable } = journalled();
    const count = runNote<number>(current, 'count');

    const counting = Promise.all(Array.from({ length: 50 }, () => count.set((count.get() ?? 0) + 1)));
    durable();
    await counting;

    expect(count.get()).toBe(50);
  });

  it('finds what an interrupted attempt has set', async () => {
    const { current, durable } = journalled({ count: 7 });
    const count = runNote<number>(current, 'count');
    durable();

    const found = count.get();
    await count.set(8);

    expect(found).toBe(7);
    expect(count.get()).toBe(8);
  });

  it('refuses what JSON cannot carry, and keeps what it had', async () => {
    const { current, written, durable } = journalled({ seen: { list: [1] } });
    const seen = runNote<unknown>(current, 'seen');
    durable();

    await expect(seen.set({ list: [new Map()] })).rejects.toThrow('The note seen at list[0] is an instance of Map');

    expect(seen.get()).toEqual({ list: [1] });
    expect(written).toEqual([]);
  });

  it.each(['usage', 'message_refused'])('refuses the name %s, which the run itself writes', (name) => {
    expect(() => runNote(run(), name)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
