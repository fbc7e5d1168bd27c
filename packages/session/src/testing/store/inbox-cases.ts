import { same } from '../same.ts';
import { codeOf, item, owned, type StoreCase, taken, textsIn, title } from './store-case.ts';

/** Messages that wait to be recorded. */
export const inboxCases: readonly StoreCase[] = [
  [
    'keeps messages as they were given, in the order of arrival',
    async (store) => {
      const { sessionId } = await owned(store);
      const items = [
        item('first'),
        item('second', { priority: 'later', maxTurns: 3 }),
        item('third', { priority: 'now' }),
      ];
      for (const one of items) same(await store.enqueue(sessionId, one), true);
      same(await store.inbox(sessionId), items);
    },
  ],
  [
    'takes a message of one id once: while it waits, and after it was consumed',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const [first, second] = [item('first'), item('second')];
      const twice = await Promise.all([store.enqueue(sessionId, first), store.enqueue(sessionId, first)]);
      await store.enqueue(sessionId, second);
      await store.append(sessionId, { epoch, head: 1 }, [title('a')], [first.message.id]);
      same(twice, [true, false]);
      same(await store.enqueue(sessionId, first), false);
      same(await store.enqueue(sessionId, item('third')), true);
      same(await textsIn(store, sessionId), ['second', 'third']);
    },
  ],
  [
    'names in `waiting`, if it has that, the sessions in which messages wait, with the last message of each',
    async (store) => {
      if (!store.waiting) return;
      const { epoch } = await owned(store, 's1');
      for (const id of ['s2', 's3']) await owned(store, id);
      const [first, second, other] = [item('first'), item('second'), item('other')];
      for (const message of [first, second]) await store.enqueue('s1', message);
      await store.enqueue('s2', other);
      const named = async () => (await store.waiting?.())?.map((one) => `${one.sessionId} ${one.messageId}`).toSorted();
      same(await named(), [`s1 ${second.message.id}`, `s2 ${other.message.id}`]);
      await store.append('s1', { epoch, head: 1 }, [title('a')], [second.message.id]);
      await store.remove('s2');
      same(await named(), [`s1 ${first.message.id}`]);
    },
  ],
  [
    'knows ids by session',
    async (store) => {
      await owned(store, 's1');
      await owned(store, 's2');
      const message = item('for both');
      same([await store.enqueue('s1', message), await store.enqueue('s2', message)], [true, true]);
    },
  ],
  [
    'consumes in the step that appends: one entry, any of several messages, also one that never waited',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const items = ['a', 'b', 'c', 'd'].map((text) => item(text));
      for (const one of items) await store.enqueue(sessionId, one);
      const never = item('never waited');
      const consumed = [items[2], items[0], never].map((one) => one!.message.id); // safe: all three are there
      same(await store.append(sessionId, { epoch, head: 1 }, [title('a')], consumed), 2);
      same(await textsIn(store, sessionId), ['b', 'd']);
      same(await store.enqueue(sessionId, never), false);
      same(await store.append(sessionId, { epoch, head: 2 }, [], [items[1]!.message.id]), 2); // safe: as above
      same(await textsIn(store, sessionId), ['d']);
    },
  ],
  [
    'lets anybody send, whoever owns the session, and loses nothing to a take-over',
    async (store) => {
      const { sessionId } = await owned(store, 's1', 0);
      await store.enqueue(sessionId, item('before'));
      const { epoch, head } = await taken(store, sessionId, 'other');
      await store.enqueue(sessionId, item('after'));
      same(await textsIn(store, sessionId), ['before', 'after']);
      same(await codeOf(store.append(sessionId, { epoch, head }, [title('a')])), 'resolved');
      same(await textsIn(store, sessionId), ['before', 'after']);
    },
  ],
];
