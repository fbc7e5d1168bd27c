import { expect } from 'vitest';
import type { EntryBody, SessionStore } from '../src/index.ts';
import { codeOf } from './makers.ts';
import { LOG_CASES } from './store-log-cases.ts';
import { created, entriesOf, item, owned, textsIn, title, titlesOf } from './store-values.ts';

type Case = readonly [string, (store: SessionStore) => Promise<void>];

/** What every store promises: a sentence, and what shows it. */
export const STORE_CASES: readonly Case[] = [
  ...LOG_CASES,
  [
    'gives the lease to one owner, one epoch later each time (ZD02)',
    async (store) => {
      const { sessionId, epoch, ...lease } = await owned(store);

      const other = await store.acquire(sessionId, 'other', 1000);
      await store.release({ sessionId, epoch, ...lease });
      const next = await store.acquire(sessionId, 'other', 1000);

      expect(lease).toMatchObject({ owner: 'me', head: 1 });
      expect(other).toBeUndefined();
      expect(next).toMatchObject({ sessionId, owner: 'other', epoch: epoch + 1, head: 1 });
    },
  ],
  [
    'gives an expired lease to another; the old one may append until then, and never after (ZD04)',
    async (store) => {
      const { sessionId, append } = await owned(store, 's1', -1);
      expect(await append(1, 'late, but not taken')).toBe(2);

      expect(await store.acquire(sessionId, 'other', 1000)).toBeDefined();

      expect(await codeOf(append(2, 'too late'))).toBe('SESSION_FENCED');
      expect(await titlesOf(store, sessionId)).toEqual(['late, but not taken']);
    },
  ],
  [
    'renews only for the owner',
    async (store) => {
      const { append: _, ...lease } = await owned(store, 's1', -1);

      const renewed = await store.renew(lease, 10_000);
      const other = await store.acquire('s1', 'other', 1000);
      const stale = await store.renew({ ...lease, epoch: lease.epoch - 1 }, 1000);
      const unknown = await store.renew({ ...lease, sessionId: 'nobody' }, 1000);

      expect([renewed, stale, unknown]).toEqual([true, false, false]);
      expect(other).toBeUndefined();
    },
  ],
  [
    'ignores the release of a lease that was taken over',
    async (store) => {
      const { append: _, ...old } = await owned(store, 's1', -1);
      await store.acquire('s1', 'other', 10_000);

      await store.release(old);

      expect(await store.acquire('s1', 'third', 1000)).toBeUndefined();
    },
  ],
  [
    'keeps messages in the order of arrival, each once, also after it was consumed (ZD12, ZD13)',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const [first, second] = [item('first'), item('second', { priority: 'later', maxTurns: 3 })];

      const enqueued = [
        await store.enqueue(sessionId, first),
        await store.enqueue(sessionId, second),
        await store.enqueue(sessionId, first),
      ];
      expect(await store.inbox(sessionId)).toEqual([first, second]);
      await store.append(sessionId, { epoch, head: 1 }, [title('a')], [first.message.id]);

      expect(enqueued).toEqual([true, true, false]);
      expect(await store.enqueue(sessionId, first)).toBe(false);
      expect(await store.enqueue(sessionId, item('third'))).toBe(true);
      expect(await textsIn(store, sessionId)).toEqual(['second', 'third']);
    },
  ],
  [
    'keeps blobs by session and hash, as they were given',
    async (store) => {
      await store.create('s1', created());
      await store.create('s2', created());
      const bytes = crypto.getRandomValues(new Uint8Array(10_000));

      await store.putBlob('s1', 'abc', bytes);
      await store.putBlob('s1', 'abc', bytes);
      const [kept, elsewhere, other] = [
        await store.getBlob('s1', 'abc'),
        await store.getBlob('s2', 'abc'),
        await store.getBlob('s1', 'def'),
      ];

      expect(Buffer.from(kept!).equals(bytes)).toBe(true);
      expect([elsewhere, other]).toEqual([undefined, undefined]);
    },
  ],
  [
    'keeps the latest snapshot, and gives it for its own format only',
    async (store) => {
      await store.create('s1', created());

      await store.saveSnapshot('s1', { seq: 3, format: 1, state: { a: ['ä'] } });
      await store.saveSnapshot('s1', { seq: 5, format: 1, state: { b: 2 } });

      expect(await store.latestSnapshot('s1', 1)).toEqual({ seq: 5, format: 1, state: { b: 2 } });
      expect(await store.latestSnapshot('s1', 2)).toBeUndefined();
    },
  ],
  [
    'says SESSION_NOT_FOUND at every entry for a session that is not there',
    async (store) => {
      const lease = { sessionId: 'nobody', owner: 'me', head: 1, epoch: 1 };
      const attempts = [
        store.acquire('nobody', 'me', 1000),
        store.append('nobody', { epoch: 1, head: 1 }, [title('a')]),
        entriesOf(store, 'nobody'),
        store.saveSnapshot('nobody', { seq: 1, format: 1, state: 1 }),
        store.latestSnapshot('nobody', 1),
        store.enqueue('nobody', item('x')),
        store.inbox('nobody'),
        store.putBlob('nobody', 'abc', new Uint8Array()),
        store.getBlob('nobody', 'abc'),
        store.remove('nobody'),
      ];

      expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => 'SESSION_NOT_FOUND'));
      await store.release(lease);
      expect(await store.renew(lease, 1000)).toBe(false);
    },
  ],
  [
    'refuses ids that are no ids, and finds nothing under them (ZH09)',
    async (store) => {
      await store.create('s1', created());
      for (const id of ['', '../x', 'a/b', 'a\0b', 'ä', 'x'.repeat(129), '.', ' ', 'a\n', '%2e%2e']) {
        expect(await codeOf(store.create(id, created()))).toBe('VALIDATION_ERROR');
        expect(await codeOf(store.fork('s1', 1, id))).toBe('VALIDATION_ERROR');
        expect(await codeOf(store.acquire(id, 'me', 1))).toBe('SESSION_NOT_FOUND');
        expect(await codeOf(store.enqueue(id, item('x')))).toBe('SESSION_NOT_FOUND');
      }
      expect(await codeOf(store.acquire('__proto__', 'me', 1))).toBe('SESSION_NOT_FOUND');
      expect((await store.list()).sessions).toHaveLength(1);
    },
  ],
  [
    'shares no objects with its callers',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const body = { type: 'title', title: 'before' };
      const blob = new Uint8Array([1]);
      await store.append(sessionId, { epoch, head: 1 }, [body as EntryBody]);
      await store.putBlob(sessionId, 'abc', blob);

      body.title = 'after';
      blob[0] = 9;

      expect(await titlesOf(store, sessionId)).toEqual(['before']);
      expect(await store.getBlob(sessionId, 'abc')).toEqual(new Uint8Array([1]));
    },
  ],
];
