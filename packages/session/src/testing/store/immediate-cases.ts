import assert from 'node:assert/strict';
import type { EntryRange, ImmediateReads } from '../../log/session-store.ts';
import { same } from '../same.ts';
import { codeOf, entriesOf, owned, type StoreCase } from './store-case.ts';

/** Cases about synchronous reads, if the store has them. */
export const immediateCases: readonly StoreCase[] = [
  [
    'answers at once what it answers asynchronously, when it offers to',
    async (store) => {
      const { now } = store;
      if (!now) return;
      const { sessionId, append } = await owned(store);
      await append(1, ...Array.from({ length: 700 }, (_, index) => `${index}`));
      await store.putBlob(sessionId, 'abc', new Uint8Array([1, 2]));
      const ranges: (EntryRange | undefined)[] = [
        undefined,
        {},
        { after: 3 },
        { upTo: 5 },
        { after: 2, upTo: 4 },
        { after: 999 },
      ];
      for (const range of ranges) {
        same([...now.read(sessionId, range)], await entriesOf(store, sessionId, range));
      }
      same(now.getBlob(sessionId, 'abc'), await store.getBlob(sessionId, 'abc'));
      same(now.getBlob(sessionId, 'def'), undefined);
      same(now.latestSnapshot(sessionId, 1), undefined);
      await store.saveSnapshot(sessionId, { seq: 2, format: 1, state: new Uint8Array([3]) });
      same(now.latestSnapshot(sessionId, 1), await store.latestSnapshot(sessionId, 1));
      same(now.latestSnapshot(sessionId, 2), undefined);
    },
  ],
  [
    'shows at once what was just acknowledged, and nothing of what was not',
    async (store) => {
      const { now } = store;
      if (!now) return;
      const { sessionId, append } = await owned(store);
      const pending = append(1, 'a');
      const early = [...now.read(sessionId)].length;
      assert.ok(early === 1 || early === 2);
      await pending;
      same([...now.read(sessionId)].length, 2);
      await codeOf(append(1, 'stale'));
      same([...now.read(sessionId)].length, 2);
    },
  ],
  [
    'refuses at once what it refuses asynchronously',
    async (store) => {
      const { now } = store;
      if (!now) return;
      same(codesOf(now), ['SESSION_NOT_FOUND', 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND']);
      await store[Symbol.asyncDispose]();
      same(codesOf(now), ['SESSION_CLOSED', 'SESSION_CLOSED', 'SESSION_CLOSED']);
    },
  ],
];

function codesOf(now: ImmediateReads): unknown[] {
  const reads = [
    () => [...now.read('nobody')],
    () => now.latestSnapshot('nobody', 1),
    () => now.getBlob('nobody', 'abc'),
  ];
  return reads.map((read) => {
    try {
      read();
      return 'answered';
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  });
}
