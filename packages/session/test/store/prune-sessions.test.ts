import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, pruneSessions, type SessionStore, sqliteStore } from '../../src/index.ts';
import { created, item, owned, title } from '../support/store-values.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prune-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const STORES: readonly [string, () => SessionStore][] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
];
const later = () => new Date(Date.now() + 20);
const ids = async (store: SessionStore) => (await store.list()).sessions.map(({ sessionId }) => sessionId).toSorted();

describe.each(STORES)('pruneSessions() in %s', (_name, make) => {
  it('removes what has rested since then and says so, and leaves what is run, waits, is unfinished or is to be kept', async () => {
    await using store = make();
    for (const id of ['old', 'fork-source', 'precious', 'waiting']) await store.create(id, created());
    await store.fork('fork-source', 1, 'fork');
    await store.enqueue('waiting', item('waits'));
    await owned(store, 'running', 600_000);
    const { epoch, owner } = await owned(store, 'unfinished');
    const started = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' } as const;
    await store.append('unfinished', { epoch, head: 1 }, [started]);
    await store.release({ sessionId: 'unfinished', epoch, owner, head: 2 });

    const { removed, left } = await pruneSessions({ store, olderThan: later(), keep: ['precious', 'fork'] });

    expect(removed.toSorted()).toEqual(['fork-source', 'old']);
    expect(left.toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1))).toEqual([
      { sessionId: 'running', reason: 'running' },
      { sessionId: 'unfinished', reason: 'unfinished' },
      { sessionId: 'waiting', reason: 'waiting' },
    ]);
    expect(await ids(store)).toEqual(['fork', 'precious', 'running', 'unfinished', 'waiting']);
  });

  it('removes more than it removes side by side, all of them once', async () => {
    await using store = make();
    const all = Array.from({ length: 40 }, (_, index) => `s${index}`).toSorted();
    for (const id of all) await store.create(id, created());

    const { removed, left } = await pruneSessions({ store, olderThan: later() });

    expect(removed.toSorted()).toEqual(all);
    expect(left).toEqual([]);
    expect(await ids(store)).toEqual([]);
  });

  it('leaves what was written to since then', async () => {
    await using store = make();
    await store.create('old', created());
    const olderThan = later();
    await expect.poll(() => Date.now(), { timeout: 5000 }).toBeGreaterThan(olderThan.getTime());
    const { append } = await owned(store, 'young', 0);
    await append(1, 'written');

    expect(await pruneSessions({ store, olderThan })).toEqual({ removed: ['old'], left: [] });
    expect(await ids(store)).toEqual(['young']);
  });

  it('leaves a session that has changed, or got a message, while it was looked at', async () => {
    await using store = make();
    for (const id of ['changed', 'sent']) await store.create(id, created());
    const inTheMidst: SessionStore = {
      ...store,
      async acquire(id, owner, ttlMs) {
        const lease = await store.acquire(id, owner, ttlMs);
        if (id === 'sent') await store.enqueue(id, item('sent meanwhile'));
        else await store.append(id, lease!, [title('written meanwhile')]);
        return id === 'sent' ? lease : { ...lease!, head: 2 };
      },
    };

    const { removed, left } = await pruneSessions({ store: inTheMidst, olderThan: later() });

    expect(removed).toEqual([]);
    expect(left.map(({ reason }) => reason).toSorted()).toEqual(['changed', 'waiting']);
    expect(await store.inbox('sent')).toHaveLength(1);
  });

  it('ends at once when it is aborted, and refuses what is no date, no list of ids, no signal', async () => {
    await using store = make();
    await store.create('old', created());
    const olderThan = later();

    await expect(pruneSessions({ store, olderThan, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    const wrong = [{ olderThan: 'x' }, { olderThan: new Date('x') }, { keep: 'a' }, { signal: 1 }, { older: 1 }];
    for (const options of wrong)
      await expect(pruneSessions({ store, olderThan, ...options } as never)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    expect(await ids(store)).toEqual(['old']);
  });
});

describe('pruneSessions()', () => {
  it('leaves a session that cannot be read, and goes on with the others', async () => {
    const path = join(folder, 'damaged.db');
    await using store = sqliteStore({ path });
    for (const id of ['damaged', 'whole']) await store.create(id, created());
    const database = new DatabaseSync(path);
    database.exec("update entries set body = '{' where key < 2 * 4294967296");
    database.close();

    expect(await pruneSessions({ store, olderThan: later() })).toEqual({
      removed: ['whole'],
      left: [{ sessionId: 'damaged', reason: 'unreadable' }],
    });
  });
});

describe('pruneSessions(), while others use the store', () => {
  /** A store in which `acquire` does this first. */
  async function disturbed(act: (store: SessionStore) => Promise<unknown>): Promise<SessionStore> {
    const store = memoryStore();
    await store.create('old', created());
    const acquire: SessionStore['acquire'] = async (...values) => {
      await act(store);
      return await store.acquire(...values);
    };
    return { ...store, acquire };
  }

  it('takes a session that somebody else has removed for removed, and leaves one that has grown', async () => {
    const gone = await disturbed((store) => store.remove('old'));
    const grown = await disturbed(async (store) => {
      const lease = await store.acquire('old', 'other', 0);
      await store.append('old', { epoch: lease!.epoch, head: 1 }, [title('more')]);
    });

    expect(await pruneSessions({ store: gone, olderThan: later() })).toEqual({ removed: ['old'], left: [] });
    const { left } = await pruneSessions({ store: grown, olderThan: later() });
    expect(left).toEqual([{ sessionId: 'old', reason: 'changed' }]);
  });

  it('ends when its signal is aborted, before it removes more', async () => {
    const signal = AbortSignal.abort();
    const store = memoryStore();
    await store.create('old', created());

    await expect(pruneSessions({ store, olderThan: later(), signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await ids(store)).toEqual(['old']);
  });

  it('rejects with what the store says', async () => {
    const failing = await disturbed(() => Promise.reject(new Error('no disk')));

    await expect(pruneSessions({ store: failing, olderThan: later() })).rejects.toThrow('no disk');
  });
});
