import { userMessage } from '@x/core';
import type { EntryBody, SessionEntry } from '../../log/entry.ts';
import type { EntryRange, InboxItem, Lease, SessionStore } from '../../log/session-store.ts';
import { broken } from '../broken.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** One promise of a store, and its check. `under` opens it a second time; the case closes the stores it opens. */
export type StoreCase = readonly [name: string, check: (store: SessionStore, under: StoreUnderTest) => Promise<void>];

/** Milliseconds; longer than any case. */
export const LONG = 600_000;

export function created(cwd = '/work'): EntryBody {
  return { type: 'session_created', format: 1, cwd };
}

export function title(text: string): EntryBody {
  return { type: 'title', title: text };
}

/** A step of a run, which sets no title. */
export function step(text: string): EntryBody {
  return { type: 'record', scope: [], record: { type: 'message', message: userMessage(text) } };
}

export function item(text: string, more: Partial<InboxItem> = {}): InboxItem {
  return { message: userMessage(text), priority: 'next', ...more };
}

/** A new session and its owner's lease. */
export interface Owned {
  readonly sessionId: string;
  readonly epoch: number;
  readonly lease: Lease;
  /** Appends titles at this head. */
  append(head: number, ...titles: string[]): Promise<number>;
}

export async function owned(store: SessionStore, sessionId = 's1', ttlMs: number = LONG): Promise<Owned> {
  await store.create(sessionId, created());
  const lease = await taken(store, sessionId, 'me', ttlMs);
  const { epoch } = lease;
  return {
    sessionId,
    epoch,
    lease,
    append: (head, ...titles) => store.append(sessionId, { epoch, head }, titles.map(title)),
  };
}

/** Acquires the lease of a session that must be free. */
export async function taken(
  store: SessionStore,
  sessionId: string,
  owner: string,
  ttlMs: number = LONG,
): Promise<Lease> {
  const lease = await store.acquire(sessionId, owner, ttlMs);
  if (!lease) throw broken(`The lease of ${sessionId} was free, and ${owner} did not get it`);
  return lease;
}

export async function entriesOf(store: SessionStore, sessionId: string, range?: EntryRange): Promise<SessionEntry[]> {
  return await Array.fromAsync(store.read(sessionId, range));
}

export async function bodiesOf(store: SessionStore, sessionId: string): Promise<EntryBody[]> {
  return (await entriesOf(store, sessionId)).map(({ body }) => body);
}

export async function titlesOf(store: SessionStore, sessionId: string): Promise<string[]> {
  return (await bodiesOf(store, sessionId)).flatMap((body) => (body.type === 'title' ? [body.title] : []));
}

/** The texts that wait, in order. */
export async function textsIn(store: SessionStore, sessionId: string): Promise<string[]> {
  const items = await store.inbox(sessionId);
  return items.flatMap(({ message }) => message.content.map((block) => (block.type === 'text' ? block.text : '')));
}

export async function idsIn(store: SessionStore): Promise<string[]> {
  return (await store.list({ limit: 1000 })).sessions.map(({ sessionId }) => sessionId);
}

/** The error code of a rejected promise; `resolved` when it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return 'resolved';
  } catch (error) {
    return (error as { code?: unknown } | undefined)?.code ?? error;
  }
}
