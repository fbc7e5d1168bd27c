import { describe, expect, it } from 'vitest';
import { created } from '../../test/support/store-values.ts';
import { memoryStore } from '../store/memory-store.ts';
import { sessionJournal } from './session-journal.ts';
import { SessionLog } from './session-log.ts';

describe('sessionJournal', () => {
  it('refuses a note that JSON cannot carry, before anything of the write is in the log', async () => {
    const store = memoryStore();
    await store.create('s', created());
    await using log = await SessionLog.open({ store, sessionId: 's', onLost: () => undefined });
    const told: string[] = [];
    const journal = sessionJournal(log, ({ type }) => (told.push(type), undefined));
    const fine = { type: 'note', name: 'fine', data: { done: [1] } } as const;

    const writing = journal.write(fine, { type: 'note', name: 'seen', data: { ids: new Set(['a']) } });

    await expect(writing).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('The note seen at ids is an instance of Set'),
    });
    expect(told).toEqual([]);
    expect(journal.past.note('fine')).toBeUndefined();
    await journal.child('c').write(fine);
    expect((await Array.fromAsync(store.read('s'))).map(({ body }) => body.type)).toEqual([
      'session_created',
      'record',
    ]);
  });

  it('finds in the next attempt at a run what was noted in the one before it, in each scope its own', async () => {
    const store = memoryStore();
    await store.create('s', created());
    const attempt = async () => {
      const log = await SessionLog.open({ store, sessionId: 's', onLost: () => undefined });
      return { log, journal: sessionJournal(log, () => undefined) };
    };
    const note = (data: unknown) => ({ type: 'note', name: 'count', data }) as const;
    const first = await attempt();
    await first.journal.write(note({ calls: 1 }), note({ calls: 2, by: [null] }));
    await first.journal.child('c').write(note('inside'));
    await first.log.close();

    const second = await attempt();
    const found = [second.journal.past.note('count'), second.journal.child('c').past.note('count')];
    await second.log.close();

    expect(found).toEqual([{ calls: 2, by: [null] }, 'inside']);
  });
});
