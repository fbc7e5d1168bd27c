import type { EntryBody } from '../../log/entry.ts';
import type { InboxItem, SessionStore } from '../../log/session-store.ts';
import { broken } from '../broken.ts';
import { same } from '../same.ts';
import { item, LONG, owned, type StoreCase, taken } from './store-case.ts';

const started: EntryBody = { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' };
/** Milliseconds: longer than the time of day jumps in other cases. */
const DAY = 86_400_000;

const waits = (until?: number): EntryBody => ({
  type: 'run_left',
  runId: 'r',
  waits: until === undefined ? {} : { until },
});

function sentYesterday(): InboxItem {
  const one = item('first');
  return { ...one, message: { ...one.message, createdAt: new Date(Date.now() - DAY).toISOString() } };
}

/** A session whose owner has recorded these entries and given its lease back. */
async function left(store: SessionStore, sessionId: string, ...bodies: EntryBody[]): Promise<void> {
  const { epoch, lease } = await owned(store, sessionId);
  await store.append(sessionId, { epoch, head: 1 }, bodies);
  await store.release(lease);
}

async function depthOf(store: SessionStore): Promise<number | undefined> {
  return (await store.backlog?.())?.sessions;
}

/** Checks that the first has waited so many days. @throws AgentError */
async function waitsFor(store: SessionStore, days: number): Promise<void> {
  const { oldestMs = 0 } = (await store.backlog?.()) ?? {};
  if (Math.abs(oldestMs - days * DAY) > DAY / 2)
    throw broken(`The first was to have waited ${days} days, not ${oldestMs} ms`);
}

/** Sessions with something to run that nobody runs, and those that somebody runs; a store need not tell them. */
export const backlogCases: readonly StoreCase[] = [
  [
    'lists in `held`, if it has that, sessions with an open run and an owner, under the name that the owner has given',
    async (store) => {
      if (!store.held) return;
      const { epoch, lease } = await owned(store, 's1');
      same(await store.held(), []);
      await store.append('s1', { epoch, head: 1 }, [started]);
      await left(store, 's2', started);
      const [held, ...others] = await store.held();
      same([held?.sessionId, held?.owner, held?.epoch, others], ['s1', 'me', epoch, []]);
      if (!held || held.leaseLeftMs <= 0 || held.leaseLeftMs > LONG) throw broken('The lease of s1 was to last');
      await store.release(lease);
      same(await store.held(), []);
    },
  ],
  [
    'counts in `backlog`, if it has that, each session once that has messages or an open run, and no owner',
    async (store) => {
      if (!store.backlog) return;
      same(await store.backlog(), { sessions: 0, oldestMs: 0 });
      await left(store, 's1', { type: 'title', title: 'idle' });
      for (const one of [sentYesterday(), item('second')]) await store.enqueue('s1', one);
      same(await depthOf(store), 1);
      await waitsFor(store, 1);
      const { epoch, lease } = await owned(store, 's2');
      await store.append('s2', { epoch, head: 1 }, [started]);
      await store.enqueue('s2', item('while it runs'));
      same(await depthOf(store), 1);
      await store.release(lease);
      await store.fork('s2', 2, 'copy'); // nobody has owned it
      same(await depthOf(store), 2);
      await taken(store, 's1', 'me');
      same(await depthOf(store), 1);
      await waitsFor(store, 0);
    },
  ],
  [
    'counts in `backlog`, if it has that, a session that waits for an answer when that has come or is too late',
    async (store) => {
      if (!store.backlog) return;
      await left(store, 's1', started, waits());
      await store.enqueue('s1', item('for later'));
      await left(store, 's2', started, waits(Date.now() + DAY));
      same(await depthOf(store), 0);
      await store.enqueue('s1', item('now', { priority: 'now' }));
      await store.enqueue('s2', item('', { answer: { callId: 'c', answer: { behavior: 'allow' } } }));
      same(await depthOf(store), 2);
      await left(store, 's3', started, waits(Date.now() - 2 * DAY));
      same(await depthOf(store), 3);
      await waitsFor(store, 2);
    },
  ],
];
