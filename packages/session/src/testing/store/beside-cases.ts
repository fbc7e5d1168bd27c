import assert from 'node:assert/strict';
import { same } from '../same.ts';
import { bodiesOf, codeOf, created, owned, type StoreCase } from './store-case.ts';

/** Cases about large bytes and snapshots. */
export const besideCases: readonly StoreCase[] = [
  [
    'keeps blobs by session and hash, as they were given, and takes them twice',
    async (store) => {
      await store.create('s1', created());
      await store.create('s2', created());
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 256);
      await store.putBlob('s1', 'abc', bytes);
      await store.putBlob('s1', 'abc', bytes);
      await store.putBlob('s1', 'empty', new Uint8Array());
      const kept = await store.getBlob('s1', 'abc');
      assert.ok(kept instanceof Uint8Array && Buffer.from(kept).equals(bytes));
      same((await store.getBlob('s1', 'empty'))?.length, 0);
      same([await store.getBlob('s2', 'abc'), await store.getBlob('s1', 'def')], [undefined, undefined]);
    },
  ],
  [
    'gives the latest snapshot, byte for byte, and none of another format',
    async (store) => {
      await store.create('s1', created());
      same(await store.latestSnapshot('s1', 1), undefined);
      const states = [Uint8Array.from({ length: 256 }, (_, index) => index), new Uint8Array([0, 255])] as const;
      await store.saveSnapshot('s1', { seq: 3, format: 1, state: states[0] });
      same(plain(await store.latestSnapshot('s1', 1)), [3, 1, [...states[0]]]);
      await store.saveSnapshot('s1', { seq: 5, format: 1, state: states[1] });
      same(plain(await store.latestSnapshot('s1', 1)), [5, 1, [0, 255]]);
      same(await store.latestSnapshot('s1', 2), undefined);
    },
  ],
  [
    'keeps a snapshot that covers more, and lets one of a new format take its place',
    async (store) => {
      await store.create('s1', created());
      const save = (seq: number, format: number, byte: number) =>
        store.saveSnapshot('s1', { seq, format, state: new Uint8Array([byte]) });
      await save(5, 1, 1);
      await save(4, 1, 2);
      same(plain(await store.latestSnapshot('s1', 1)), [5, 1, [1]]);
      await save(5, 1, 3);
      same(plain(await store.latestSnapshot('s1', 1)), [5, 1, [3]]);
      await save(2, 2, 4);
      same(plain(await store.latestSnapshot('s1', 2)), [2, 2, [4]]);
    },
  ],
  [
    'changes nothing of the log by a snapshot, needs no lease for it, and takes it from whoever comes',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a');
      const before = await bodiesOf(store, sessionId);
      await store.saveSnapshot(sessionId, { seq: 2, format: 1, state: new Uint8Array(1_000_000) });
      same(await bodiesOf(store, sessionId), before);
      same(await codeOf(append(2, 'b')), 'resolved');
    },
  ],
];

function plain(snapshot: { seq: number; format: number; state: Uint8Array } | undefined): unknown {
  return snapshot && [snapshot.seq, snapshot.format, [...snapshot.state]];
}
