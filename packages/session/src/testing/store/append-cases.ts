import { same } from '../same.ts';
import { codeOf, entriesOf, item, owned, type StoreCase, taken, textsIn, title, titlesOf } from './store-case.ts';

/** Cases about the right to append, and the effects of a refused append. */
export const appendCases: readonly StoreCase[] = [
  [
    'refuses an append at another head with SESSION_CONFLICT, and changes nothing',
    async (store) => {
      const { sessionId, append } = await owned(store);
      await append(1, 'a');
      for (const head of [0, 1, 3, 7]) same(await codeOf(append(head, 'stale')), 'SESSION_CONFLICT');
      same(await titlesOf(store, sessionId), ['a']);
      same(await append(2, 'b'), 3);
    },
  ],
  [
    'refuses an append of another epoch with SESSION_FENCED, and changes nothing',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      for (const other of [epoch - 1, epoch + 1, 0]) {
        const stale = store.append(sessionId, { epoch: other, head: 1 }, [title('stale')]);
        same(await codeOf(stale), 'SESSION_FENCED');
      }
      same((await entriesOf(store, sessionId)).length, 1);
    },
  ],
  [
    'lets one of several appends at once win, and refuses the others',
    async (store) => {
      const { sessionId, append } = await owned(store);
      const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((text) => codeOf(append(1, text))));
      const winner = outcomes.indexOf('resolved');
      const expected = ['a', 'b', 'c', 'd'].map((_, index) => (index === winner ? 'resolved' : 'SESSION_CONFLICT'));
      same(outcomes, expected);
      same(await titlesOf(store, sessionId), [['a', 'b', 'c', 'd'][winner]]);
    },
  ],
  [
    'gives another text for `changes` after each append, if it has that',
    async (store) => {
      const { sessionId, append } = await owned(store);
      const texts = [store.changes?.(sessionId)];
      for (const head of [1, 2, 3]) {
        await append(head, 'more');
        texts.push(store.changes?.(sessionId));
      }
      if (store.changes) same(new Set(texts).size, texts.length);
    },
  ],
  [
    'takes appends of one owner that follow each other without waiting, in order',
    async (store) => {
      const { sessionId, append } = await owned(store);
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
      await Promise.all(texts.map((text, index) => append(index + 1, text)));
      same(await titlesOf(store, sessionId), texts);
    },
  ],
  [
    'fences the former owner for ever: at every head, at every later take-over',
    async (store) => {
      const { sessionId, append } = await owned(store, 's1', 0);
      for (let round = 0; round < 3; round++) {
        const next = await taken(store, sessionId, `other ${round}`, 0);
        await store.append(sessionId, next, [title(`${round}`)]);
        for (const head of [1, next.head, next.head + 1]) {
          same(await codeOf(append(head, 'too late')), 'SESSION_FENCED');
        }
      }
      same(await titlesOf(store, sessionId), ['0', '1', '2']);
    },
  ],
  [
    'appends all or nothing, and takes nothing out of the inbox for an append that was refused',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const waiting = item('waits');
      const ids = [waiting.message.id];
      await store.enqueue(sessionId, waiting);
      const large = title('x'.repeat(2 * 1024 * 1024));
      const refused = [
        store.append(sessionId, { epoch, head: 1 }, [title('a'), large, title('b')], ids),
        store.append(sessionId, { epoch, head: 2 }, [title('a')], ids),
        store.append(sessionId, { epoch: epoch + 1, head: 1 }, [title('a')], ids),
      ];
      same(await Promise.all(refused.map(codeOf)), ['ENTRY_TOO_LARGE', 'SESSION_CONFLICT', 'SESSION_FENCED']);
      same(await titlesOf(store, sessionId), []);
      same(await textsIn(store, sessionId), ['waits']);
      same(await store.append(sessionId, { epoch, head: 1 }, [title('c')]), 2);
    },
  ],
  [
    'refuses one of several appends at once without harm to the others',
    async (store) => {
      const [one, other] = [await owned(store, 's1'), await owned(store, 's2')];
      const outcomes = await Promise.all([
        codeOf(one.append(1, 'a')),
        codeOf(other.append(5, 'stale')),
        codeOf(one.append(2, 'x'.repeat(2 * 1024 * 1024))),
        codeOf(other.append(1, 'b')),
      ]);
      same(outcomes, ['resolved', 'SESSION_CONFLICT', 'ENTRY_TOO_LARGE', 'resolved']);
      same([await titlesOf(store, 's1'), await titlesOf(store, 's2')], [['a'], ['b']]);
    },
  ],
];
