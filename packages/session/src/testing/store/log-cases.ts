import type { EntryBody } from '../../log/entry.ts';
import type { EntryRange } from '../../log/session-store.ts';
import { same } from '../same.ts';
import {
  bodiesOf,
  codeOf,
  created,
  entriesOf,
  item,
  owned,
  type StoreCase,
  step,
  title,
  titlesOf,
} from './store-case.ts';

const MEBIBYTE = 1024 * 1024;

/** Cases about keeping and reading a log. */
export const logCases: readonly StoreCase[] = [
  [
    'numbers entries 1, 2, 3, ... with the time and the epoch of their owner',
    async (store) => {
      const { sessionId, epoch, append } = await owned(store);
      same(await append(1, 'a', 'b'), 3);
      const entries = await entriesOf(store, sessionId);
      same(
        entries.map((entry) => [entry.seq, entry.epoch, entry.body]),
        [
          [1, 0, created()],
          [2, epoch, title('a')],
          [3, epoch, title('b')],
        ],
      );
      for (const { at } of entries) same(new Date(at).toISOString(), at);
    },
  ],
  [
    'keeps what an entry says to the letter, also one of a type it does not know',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const bodies = [
        title('ä \u0000 \ud83d\ude00 " \\ \n \u2028'),
        { type: 'metadata', metadata: { ['__proto__']: 'a key', constructor: '' } },
        step('said'),
        JSON.parse('{"type":"of_tomorrow","deep":{"__proto__":[null,true,1.5e300]}}') as EntryBody, // safe: it is only kept
      ] as const;
      await store.append(sessionId, { epoch, head: 1 }, bodies);
      same(JSON.stringify(await bodiesOf(store, sessionId)), JSON.stringify([created(), ...bodies]));
    },
  ],
  [
    'reads a part: behind one entry, up to another',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a', 'b', 'c', 'd');
      const seqs = async (range: EntryRange) => (await entriesOf(store, sessionId, range)).map(({ seq }) => seq);
      same(await seqs({ after: 2 }), [3, 4, 5]);
      same(await seqs({ upTo: 2 }), [1, 2]);
      same(await seqs({ after: 1, upTo: 3 }), [2, 3]);
      same(await seqs({ after: 5 }), []);
      same(await seqs({ after: 3, upTo: 2 }), []);
      same((await seqs({ upTo: 99 })).length, 5);
    },
  ],
  [
    'reads a long log whole, in order, whatever way it came in',
    async (store) => {
      const { sessionId, append } = await owned(store);
      const texts = Array.from({ length: 1201 }, (_, index) => `${index}`);
      await append(1, ...texts.slice(0, 1));
      await append(2, ...texts.slice(1));
      same(await titlesOf(store, sessionId), texts);
    },
  ],
  [
    'lets a reader leave early, and others read at the same time',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a', 'b');
      for await (const { seq } of store.read(sessionId)) if (seq === 2) break;
      const all = await Promise.all([titlesOf(store, sessionId), titlesOf(store, sessionId)]);
      same(all, [
        ['a', 'b'],
        ['a', 'b'],
      ]);
    },
  ],
  [
    'takes an entry of just under 1 MiB of JSON and refuses one over it, by bytes',
    async (store) => {
      const { append } = await owned(store);
      const room = Math.floor((MEBIBYTE - JSON.stringify(title('')).length) / 2); // `ä` is two bytes
      same(await append(1, 'ä'.repeat(room)), 2);
      same(await codeOf(append(2, 'ä'.repeat(room + 1))), 'ENTRY_TOO_LARGE');
      const large = 'x'.repeat(MEBIBYTE);
      same(await codeOf(store.enqueue('s1', item(large))), 'ENTRY_TOO_LARGE');
      same(await codeOf(store.create('s2', created(large))), 'ENTRY_TOO_LARGE');
      same(await codeOf(entriesOf(store, 's2')), 'SESSION_NOT_FOUND');
    },
  ],
  [
    'shares no objects with its callers',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const body = { type: 'title', title: 'before' };
      const [blob, state] = [new Uint8Array([1]), new Uint8Array([2])];
      const metadata = { a: 'before' };
      await store.append(sessionId, { epoch, head: 1 }, [body as EntryBody, { type: 'metadata', metadata }]); // safe: a title
      await store.putBlob(sessionId, 'abc', blob);
      await store.saveSnapshot(sessionId, { seq: 1, format: 1, state });
      body.title = metadata.a = 'after';
      blob[0] = state[0] = 9;
      for (let time = 0; time < 2; time++) {
        const [entry, kept, snapshot] = [
          (await bodiesOf(store, sessionId))[1] as { title: string },
          await store.getBlob(sessionId, 'abc'),
          await store.latestSnapshot(sessionId, 1),
        ];
        const noted = (await store.list()).sessions[0]?.metadata as { a: string }; // safe: `same` looks
        same([entry.title, noted.a, kept?.[0], snapshot?.state[0]], ['before', 'before', 1, 2]);
        entry.title = noted.a = 'changed';
        kept![0] = snapshot!.state[0] = 9; // safe: both were just found
      }
    },
  ],
];
