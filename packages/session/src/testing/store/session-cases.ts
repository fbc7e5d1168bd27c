import type { EntryBody } from '../../log/entry.ts';
import type { SessionStore } from '../../log/session-store.ts';
import { same } from '../same.ts';
import {
  bodiesOf,
  codeOf,
  created,
  entriesOf,
  idsIn,
  item,
  LONG,
  owned,
  type StoreCase,
  taken,
  textsIn,
  title,
  titlesOf,
} from './store-case.ts';

/** Cases about whole sessions: created, forked, removed. */
export const sessionCases: readonly StoreCase[] = [
  [
    'refuses to make a session twice, and leaves the first as it is',
    async (store) => {
      await store.create('s1', created('/first'));
      same(await codeOf(store.create('s1', created('/second'))), 'SESSION_EXISTS');
      const codes = await Promise.all(['s2', 's2', 's2'].map((id) => codeOf(store.create(id, created()))));
      same(codes.toSorted(byText), ['SESSION_EXISTS', 'SESSION_EXISTS', 'resolved']);
      same(await bodiesOf(store, 's1'), [created('/first')]);
    },
  ],
  [
    'says SESSION_NOT_FOUND at every entry for a session that is not there',
    async (store) => {
      const attempts = methodsOn(store, 'nobody');
      same(
        await Promise.all(attempts.map(codeOf)),
        attempts.map(() => 'SESSION_NOT_FOUND'),
      );
      same(await store.list(), { sessions: [] });
    },
  ],
  [
    'refuses ids that are no ids, and finds nothing under them',
    async (store) => {
      await store.create('s1', created());
      const refused = ['', '../x', 'a/b', 'a\0b', 'ä', 'x'.repeat(129), '.', ' ', 'a\n', '%2e%2e', "' or 1=1 --"];
      for (const id of refused) {
        same(await codeOf(store.create(id, created())), 'VALIDATION_ERROR', `create '${id}'`);
        same(await codeOf(store.fork('s1', 1, id)), 'VALIDATION_ERROR', `fork into '${id}'`);
        same(await codeOf(store.acquire(id, 'me', 1)), 'SESSION_NOT_FOUND', `acquire '${id}'`);
        same(await codeOf(store.enqueue(id, item('x'))), 'SESSION_NOT_FOUND', `enqueue for '${id}'`);
      }
      const taken = ['__proto__', 'constructor', '-', 'x'.repeat(128)];
      for (const id of taken) {
        same(await codeOf(store.acquire(id, 'me', 1)), 'SESSION_NOT_FOUND', `acquire '${id}'`);
        await store.create(id, created());
      }
      same((await idsIn(store)).toSorted(), [...taken, 's1'].toSorted());
    },
  ],
  [
    'forks a prefix as entries of its own, blobs, title and metadata included, and names the source',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const noted: EntryBody = { type: 'metadata', metadata: { a: '1' } };
      await store.append(sessionId, { epoch, head: 1 }, [title('a'), noted, title('b'), title('c')]);
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      await store.enqueue(sessionId, item('stays with the source'));
      const before = await entriesOf(store, sessionId);
      await store.fork(sessionId, 4, 'fork');
      same(await entriesOf(store, sessionId), before);
      const entries = await entriesOf(store, 'fork');
      const named = { ...created(), forkedFrom: { sessionId, seq: 4 } };
      same(
        entries.map(({ seq, epoch: by, body }) => [seq, by, body]),
        [
          [1, 0, named],
          [2, 0, title('a')],
          [3, 0, noted],
          [4, 0, title('b')],
        ],
      );
      same(
        entries.slice(1).map(({ at }) => at),
        before.slice(1, 4).map(({ at }) => at),
      );
      same((await store.getBlob('fork', 'abc'))?.[0], 1);
      same(await textsIn(store, 'fork'), []);
      const { updatedAt: _, ...summary } = (await store.list()).sessions.find((one) => one.sessionId === 'fork')!; // safe: just made
      same(summary, {
        sessionId: 'fork',
        cwd: '/work',
        title: 'b',
        metadata: { a: '1' },
        forkedFrom: 's1',
        state: 'idle',
        head: 4,
      });
    },
  ],
  [
    'keeps fork and source apart: neither sees what the other does, nor its removal',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a', 'b');
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      await store.fork(sessionId, 2, 'fork');
      const lease = await taken(store, 'fork', 'me');
      same(lease.head, 2);
      await store.append('fork', lease, [title('of the fork')]);
      await append(3, 'of the source');
      await store.putBlob(sessionId, 'later', new Uint8Array([2]));
      same(await store.getBlob('fork', 'later'), undefined);
      same(await titlesOf(store, 'fork'), ['a', 'of the fork']);
      same(await titlesOf(store, sessionId), ['a', 'b', 'of the source']);
      await store.remove(sessionId);
      same(await titlesOf(store, 'fork'), ['a', 'of the fork']);
      same((await store.getBlob('fork', 'abc'))?.[0], 1);
      await store.fork('fork', 3, 'fork-of-fork');
      same((await bodiesOf(store, 'fork-of-fork'))[0], {
        ...created(),
        forkedFrom: { sessionId: 'fork', seq: 3 },
      });
    },
  ],
  [
    'forks neither into an id that is taken, nor from a session or an entry that is not there',
    async (store) => {
      const { append } = await owned(store);
      await append(1, 'a', 'b');
      same(await codeOf(store.fork('s1', 1, 's1')), 'SESSION_EXISTS');
      same(await codeOf(store.fork('nobody', 1, 's2')), 'SESSION_NOT_FOUND');
      for (const upTo of [0, 4, -1, 1.5]) same(await codeOf(store.fork('s1', upTo, 's2')), 'INVALID_FORK_POINT');
      same(await idsIn(store), ['s1']);
    },
  ],
  [
    'removes a session with everything that belongs to it, and nothing else',
    async (store) => {
      const { sessionId, lease } = await owned(store);
      const other = await owned(store, 's2');
      const waiting = item('waits');
      for (const id of ['s1', 's2']) {
        await store.enqueue(id, waiting);
        await store.putBlob(id, 'abc', new Uint8Array([1]));
        await store.saveSnapshot(id, { seq: 1, format: 1, state: new Uint8Array([1]) });
      }
      await store.append(sessionId, lease, [title('a')], [waiting.message.id]);
      await store.remove(sessionId);
      const attempts = methodsOn(store, sessionId);
      same(
        await Promise.all(attempts.map(codeOf)),
        attempts.map(() => 'SESSION_NOT_FOUND'),
      );
      same(await store.renew(lease, LONG), false);
      same(await idsIn(store), ['s2']);
      same(await textsIn(store, 's2'), ['waits']);
      same((await store.latestSnapshot('s2', 1))?.seq, 1);
      same(await other.append(1, 'a'), 2);
    },
  ],
  [
    'removes nothing where messages wait, when that is asked for',
    async (store) => {
      const { sessionId, lease } = await owned(store);
      const waiting = item('waits');
      await store.enqueue(sessionId, waiting);
      same(await codeOf(store.remove(sessionId, { unlessWaiting: true })), 'SESSION_BUSY');
      same(await textsIn(store, sessionId), ['waits']);
      await store.append(sessionId, lease, [title('a')], [waiting.message.id]);
      await store.remove(sessionId, { unlessWaiting: true });
      same(await idsIn(store), []);
    },
  ],
  [
    'keeps everything when it is compacted, where it can be, and goes on',
    async (store) => {
      if (!store.upkeep) return;
      const { sessionId, lease, append } = await owned(store);
      await append(1, 'a');
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      await store.create('gone', created());
      await store.remove('gone');
      const outcomes: readonly unknown[] = ['SESSION_BUSY', 'resolved']; // or the session is left as it is
      same(outcomes.includes(await codeOf(store.upkeep.compact())), true);
      same(await titlesOf(store, sessionId), ['a']);
      await store.release(lease);
      await store.upkeep.compact();
      same(await titlesOf(store, sessionId), ['a']);
      same((await store.getBlob(sessionId, 'abc'))?.[0], 1);
      same(await append(2, 'b'), 3);
    },
  ],
  [
    'starts again under the id of a session that was removed',
    async (store) => {
      const { sessionId, lease } = await owned(store);
      const waiting = item('waits');
      await store.enqueue(sessionId, waiting);
      await store.enqueue(sessionId, item('waits on'));
      await store.append(sessionId, lease, [title('a')], [waiting.message.id]);
      await store.putBlob(sessionId, 'abc', new Uint8Array([1]));
      await store.saveSnapshot(sessionId, { seq: 1, format: 1, state: new Uint8Array([1]) });
      await store.remove(sessionId);
      await store.create(sessionId, created());
      same(await bodiesOf(store, sessionId), [created()]);
      same(await store.inbox(sessionId), []);
      same(await store.getBlob(sessionId, 'abc'), undefined);
      same(await store.latestSnapshot(sessionId, 1), undefined);
      same(await store.enqueue(sessionId, waiting), true);
      same((await store.list()).sessions[0]?.title, undefined);
      await taken(store, sessionId, 'me');
    },
  ],
  [
    'says SESSION_CLOSED at every method after it was disposed of, which may be done twice',
    async (store) => {
      const { sessionId, lease } = await owned(store);
      await store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      const attempts = [
        ...methodsOn(store, sessionId),
        store.create('s2', created()),
        store.list(),
        store.renew(lease, LONG),
        store.release(lease),
      ];
      same(
        await Promise.all(attempts.map(codeOf)),
        attempts.map(() => 'SESSION_CLOSED'),
      );
    },
  ],
];

/** Every method that needs a session. */
function methodsOn(store: SessionStore, sessionId: string): Promise<unknown>[] {
  return [
    store.acquire(sessionId, 'me', 1000),
    store.append(sessionId, { epoch: 1, head: 1 }, [title('a')]),
    entriesOf(store, sessionId),
    store.saveSnapshot(sessionId, { seq: 1, format: 1, state: new Uint8Array() }),
    store.latestSnapshot(sessionId, 1),
    store.enqueue(sessionId, item('x')),
    store.inbox(sessionId),
    store.putBlob(sessionId, 'abc', new Uint8Array()),
    store.getBlob(sessionId, 'abc'),
    store.fork(sessionId, 1, 'fork-of-nothing'),
    store.remove(sessionId),
  ];
}

function byText(one: unknown, other: unknown): number {
  return String(one) < String(other) ? -1 : 1;
}
