import { setTimeout as wait } from 'node:timers/promises';
import type { SessionStore } from '../../log/session-store.ts';
import { broken } from '../broken.ts';
import { same } from '../same.ts';
import {
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
import type { StoreUnderTest } from './store-under-test.ts';

/** Milliseconds until the append of another process must show. */
const CHANGES_MS = 2_000;
/** Milliseconds until a store must know who listens, and until a text must have come. */
const LIVE_MS = 20_000;

/** Cases about what a store keeps beyond its own life, and shares with another one on the same sessions. */
export const lastingCases: readonly StoreCase[] = [
  [
    'finds everything when it is opened again',
    async (store, under) => {
      const { sessionId, epoch } = await owned(store);
      const [waiting, consumed] = [item('waits'), item('consumed')];
      await store.enqueue(sessionId, waiting);
      await store.enqueue(sessionId, consumed);
      await store.append(sessionId, { epoch, head: 1 }, [title('a'), title('b')], [consumed.message.id]);
      await store.putBlob(sessionId, 'abc', new Uint8Array([1, 2]));
      await store.saveSnapshot(sessionId, { seq: 2, format: 7, state: new Uint8Array([3]) });
      const before = [await entriesOf(store, sessionId), await store.list()];
      await store[Symbol.asyncDispose]();
      await withAnother(under, async (again) => {
        same([await entriesOf(again, sessionId), await again.list()], before);
        same(await again.inbox(sessionId), [waiting]);
        same(await again.enqueue(sessionId, consumed), false);
        same([...((await again.getBlob(sessionId, 'abc')) ?? [])], [1, 2]);
        same((await again.latestSnapshot(sessionId, 7))?.state[0], 3);
        same(await again.acquire(sessionId, 'other', LONG), undefined);
        same(await again.append(sessionId, { epoch, head: 3 }, [title('c')]), 4);
      });
    },
  ],
  [
    'keeps a removed session removed when it is opened again',
    async (store, under) => {
      await store.create('s1', created());
      await store.create('s2', created());
      await store.remove('s1');
      await store[Symbol.asyncDispose]();
      await withAnother(under, async (again) => {
        same(await idsIn(again), ['s2']);
        same(await codeOf(entriesOf(again, 's1')), 'SESSION_NOT_FOUND');
      });
    },
  ],
  [
    'sees at once what another store on the same sessions has written, and refuses what is stale by it',
    async (store, under) => {
      await withAnother(under, async (other) => {
        const { sessionId, epoch, append } = await owned(store);
        await append(1, 'a');
        same(await titlesOf(other, sessionId), ['a']);
        same(await codeOf(other.append(sessionId, { epoch, head: 1 }, [title('stale')])), 'SESSION_CONFLICT');
        same(await other.append(sessionId, { epoch, head: 2 }, [title('b')]), 3);
        same(await codeOf(append(2, 'stale')), 'SESSION_CONFLICT');
        await other.enqueue(sessionId, item('from the other'));
        same(await textsIn(store, sessionId), ['from the other']);
        await other.remove(sessionId);
        same(await codeOf(append(3, 'gone')), 'SESSION_NOT_FOUND');
      });
    },
  ],
  [
    'gives one lease between two stores on the same sessions, and fences the first owner once the second has it',
    async (store, under) => {
      await withAnother(under, async (other) => {
        const { sessionId, lease, append } = await owned(store);
        same(await other.acquire(sessionId, 'other', LONG), undefined);
        await store.renew(lease, 0);
        const theirs = await taken(other, sessionId, 'other');
        same(theirs.epoch, lease.epoch + 1);
        same(await codeOf(append(1, 'too late')), 'SESSION_FENCED');
        same(await store.renew(lease, LONG), false);
        await store.release(lease);
        same(await store.acquire(sessionId, 'me', LONG), undefined);
        same(await other.append(sessionId, theirs, [title('mine')]), 2);
      });
    },
  ],
  [
    'gives another text for `changes` within two seconds of an append of another store, if it has that',
    async (store, under) => {
      await withAnother(under, async (other) => {
        const { sessionId, epoch } = await owned(store);
        const before = other.changes?.(sessionId);
        await store.append(sessionId, { epoch, head: 1 }, [title('more')]);
        const limit = performance.now() + CHANGES_MS;
        while (other.changes?.(sessionId) === before && other.changes) {
          if (performance.now() > limit) throw broken('The text for `changes` is still the one before');
          await wait(10);
        }
      });
    },
  ],
  [
    'carries texts of `live` to another store that listens: whole, once, in order and not back, if it has that',
    async (store, under) => {
      await withAnother(under, async (other) => {
        const { sessionId } = await owned(store);
        if (!store.live || !other.live) return;
        const { live } = store;
        const theirs = other.live;
        const [own, heard, again]: [string[], string[], string[]] = [[], [], []];
        const sent = ['a', '\u20ac\u{1f600}'.repeat(20_000), 'a', 'b'.repeat(9_000)];
        live.subscribe(sessionId, (text) => own.push(text));
        const end = theirs.subscribe(sessionId, (text) => heard.push(text));
        await until(() => live.isHeard(sessionId), 'It is not known that the other store listens');
        same(live.isHeard('another'), false);
        live.publish('another', 'of another session');
        for (const text of sent) live.publish(sessionId, text);
        await until(() => heard.length >= sent.length, 'A text that was published has not come');
        end();
        theirs.subscribe(sessionId, (text) => again.push(text));
        const isHeardAgain = () => {
          live.publish(sessionId, 'later');
          return again.length > 0;
        };
        await until(isHeardAgain, 'A text has not come to who listens again');
        same([heard, own], [sent, []]);
      });
    },
  ],
  [
    'lets one of two appends at once from two stores win; the other can read and try again',
    async (store, under) => {
      await withAnother(under, async (other) => {
        const { sessionId, epoch } = await owned(store);
        const write = async (through: SessionStore, text: string) => {
          for (let attempt = 0; attempt < 1000; attempt++) {
            const head = (await entriesOf(through, sessionId)).length;
            const code = await codeOf(through.append(sessionId, { epoch, head }, [title(text)]));
            if (code === 'resolved') return;
            same(code, 'SESSION_CONFLICT');
          }
          throw broken(`'${text}' was refused a thousand times`);
        };
        const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
        await Promise.all(texts.map((text, index) => write(index % 2 === 0 ? store : other, text)));
        same((await titlesOf(store, sessionId)).toSorted(), texts.toSorted());
        same(await entriesOf(other, sessionId), await entriesOf(store, sessionId));
      });
    },
  ],
];

/** Waits, for as long as a store may take to know who listens. */
async function until(isSo: () => boolean, fault: string): Promise<void> {
  const limit = performance.now() + LIVE_MS;
  while (!isSo()) {
    if (performance.now() > limit) throw broken(fault);
    await wait(10);
  }
}

/** Another store on the same sessions, closed afterwards. */
async function withAnother({ reopen }: StoreUnderTest, work: (other: SessionStore) => Promise<void>): Promise<void> {
  if (!reopen) throw broken('A store that lasts is given with `reopen`; for another one say `lasting: false`');
  const other = await reopen();
  try {
    await work(other);
  } finally {
    await other[Symbol.asyncDispose]();
  }
}
