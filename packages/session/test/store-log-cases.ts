import { expect } from 'vitest';
import type { SessionStore } from '../src/index.ts';
import { codeOf } from './makers.ts';
import { created, entriesOf, item, owned, textsIn, title, titlesOf } from './store-values.ts';

type Case = readonly [string, (store: SessionStore) => Promise<void>];

/** What every store promises about its logs: a sentence, and what shows it. */
export const LOG_CASES: readonly Case[] = [
  [
    'numbers entries 1, 2, 3, ... with the time and the epoch of their owner',
    async (store) => {
      const { sessionId, epoch, append } = await owned(store);

      expect(await append(1, 'a', 'b')).toBe(3);

      const entries = await entriesOf(store, sessionId);
      expect(entries.map(({ seq, epoch: by }) => [seq, by])).toEqual([
        [1, 0],
        [2, epoch],
        [3, epoch],
      ]);
      expect(entries.map(({ body }) => body)).toEqual([created(), title('a'), title('b')]);
      for (const { at } of entries) expect(new Date(at).toISOString()).toBe(at);
    },
  ],
  [
    'reads a part: behind one entry, up to another',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a', 'b', 'c', 'd');

      const seqs = async (range: { after?: number; upTo?: number }) =>
        (await entriesOf(store, sessionId, range)).map(({ seq }) => seq);

      expect(await seqs({ after: 2 })).toEqual([3, 4, 5]);
      expect(await seqs({ upTo: 2 })).toEqual([1, 2]);
      expect(await seqs({ after: 1, upTo: 3 })).toEqual([2, 3]);
      expect(await seqs({ after: 5 })).toEqual([]);
      expect(await seqs({ upTo: 99 })).toHaveLength(5);
    },
  ],
  [
    'reads more entries than fit into one page',
    async (store) => {
      const { sessionId, append } = await owned(store);
      const texts = Array.from({ length: 1200 }, (_, index) => `${index}`);
      await append(1, ...texts);

      expect(await titlesOf(store, sessionId)).toEqual(texts);
    },
  ],
  [
    'refuses to make a session twice',
    async (store) => {
      await store.create('s1', created());

      expect(await codeOf(store.create('s1', created()))).toBe('SESSION_EXISTS');
    },
  ],
  [
    'refuses an append at another head, and changes nothing (ZD01, Q48)',
    async (store) => {
      const { sessionId, append } = await owned(store);

      const outcomes = await Promise.all([codeOf(append(1, 'a')), codeOf(append(1, 'b')), codeOf(append(7, 'c'))]);

      expect(outcomes).toEqual(['resolved', 'SESSION_CONFLICT', 'SESSION_CONFLICT']);
      expect(await titlesOf(store, sessionId)).toEqual(['a']);
    },
  ],
  [
    'appends all or nothing, the inbox included',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const waiting = item('wait');
      await store.enqueue(sessionId, waiting);
      const large = title('x'.repeat(2 * 1024 * 1024));

      const code = await codeOf(store.append(sessionId, { epoch, head: 1 }, [title('a'), large], [waiting.message.id]));

      expect(code).toBe('ENTRY_TOO_LARGE');
      expect(await titlesOf(store, sessionId)).toEqual([]);
      expect(await textsIn(store, sessionId)).toEqual(['wait']);
    },
  ],
  [
    'takes an entry of just under 1 MiB and refuses one over it, by bytes (ZD16)',
    async (store) => {
      const { append } = await owned(store);
      const room = 1024 * 1024 - JSON.stringify(title('')).length;

      expect(await codeOf(append(1, 'ä'.repeat(Math.floor(room / 2))))).toBe('resolved');
      expect(await codeOf(append(2, 'ä'.repeat(Math.floor(room / 2) + 1)))).toBe('ENTRY_TOO_LARGE');
      expect(await codeOf(store.enqueue('s1', item('x'.repeat(1024 * 1024))))).toBe('ENTRY_TOO_LARGE');
    },
  ],
  [
    'lists sessions page by page, each once, newest first, by directory when asked',
    async (store) => {
      for (let index = 0; index < 7; index++) {
        await store.create(`s${index}`, created(index % 2 === 0 ? '/even' : '/odd'));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.sessions.map(({ sessionId }) => sessionId));
        cursor = page.cursor;
      } while (cursor !== undefined && pages.length < 9);

      expect(pages).toEqual([['s6', 's5', 's4'], ['s3', 's2', 's1'], ['s0']]);
      expect((await store.list({ cwd: '/odd' })).sessions.map(({ sessionId }) => sessionId)).toEqual([
        's5',
        's3',
        's1',
      ]);
      expect((await store.list({ limit: 7 })).cursor).toBeUndefined();
    },
  ],
  [
    'summarises a session: directory, title, head, time of its last entry',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'first title', 'last title');

      const { sessions } = await store.list();

      const { at } = (await entriesOf(store, sessionId)).at(-1)!;
      expect(sessions).toEqual([
        { sessionId, cwd: '/work', title: 'last title', head: 3, updatedAt: expect.any(String) },
      ]);
      expect(Math.abs(Date.parse(sessions[0]!.updatedAt) - Date.parse(at))).toBeLessThan(60_000); // two readings of one clock
    },
  ],
  [
    'forks a prefix as entries of its own, blobs and title included, untouched by what happens to the source (ZD25)',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a', 'b', 'c');
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      const before = await entriesOf(store, sessionId);

      await store.fork(sessionId, 3, 'fork');
      expect(await entriesOf(store, sessionId)).toEqual(before);
      await store.remove(sessionId);

      const entries = await entriesOf(store, 'fork');
      expect(entries.map(({ seq, body }) => [seq, body])).toEqual([
        [1, { ...created(), forkedFrom: { sessionId, seq: 3 } }],
        [2, title('a')],
        [3, title('b')],
      ]);
      expect(await store.getBlob('fork', 'abc')).toEqual(new Uint8Array([1]));
      expect((await store.list()).sessions).toMatchObject([{ sessionId: 'fork', title: 'b', head: 3, cwd: '/work' }]);
      expect(await store.acquire('fork', 'me', 1000)).toMatchObject({ head: 3 });
    },
  ],
  [
    'forks neither into an id that is taken nor from one that is not there',
    async (store) => {
      await store.create('s1', created());

      expect(await codeOf(store.fork('s1', 1, 's1'))).toBe('SESSION_EXISTS');
      expect(await codeOf(store.fork('nobody', 1, 's2'))).toBe('SESSION_NOT_FOUND');
    },
  ],
  [
    'removes a session with everything that belongs to it',
    async (store) => {
      const { sessionId } = await owned(store);
      const waiting = item('wait');
      await store.enqueue(sessionId, waiting);
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      await store.saveSnapshot(sessionId, { seq: 1, format: 1, state: 1 });

      await store.remove(sessionId);
      expect(await codeOf(entriesOf(store, sessionId))).toBe('SESSION_NOT_FOUND');
      await store.create(sessionId, created());

      expect(await store.inbox(sessionId)).toEqual([]);
      expect(await store.getBlob(sessionId, 'abc')).toBeUndefined();
      expect(await store.latestSnapshot(sessionId, 1)).toBeUndefined();
      expect(await store.enqueue(sessionId, waiting)).toBe(true);
    },
  ],
];
