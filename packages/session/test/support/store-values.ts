import { DatabaseSync } from 'node:sqlite';
import { userMessage } from '@x/core';
import type { EntryBody, SessionStore } from '../../src/index.ts';
import type { InboxItem } from '../../src/store-port.ts';

export const created = (cwd = '/work'): EntryBody => ({ type: 'session_created', format: 1, cwd });
export const title = (text: string): EntryBody => ({ type: 'title', title: text });
export const item = (text: string, more: Partial<InboxItem> = {}): InboxItem => ({
  message: userMessage(text),
  priority: 'next',
  ...more,
});

/** A session with this id and its owner's lease. */
export async function owned(store: SessionStore, sessionId = 's1', ttlMs = 10_000) {
  await store.create(sessionId, created());
  const lease = await store.acquire(sessionId, 'me', ttlMs);
  return {
    ...lease!,
    append: (head: number, ...texts: string[]) =>
      store.append(sessionId, { epoch: lease!.epoch, head }, texts.map(title)),
  };
}

export const entriesOf = (store: SessionStore, sessionId: string, range?: { after?: number; upTo?: number }) =>
  Array.fromAsync(store.read(sessionId, range));
export const titlesOf = async (store: SessionStore, sessionId: string) =>
  (await entriesOf(store, sessionId)).flatMap(({ body }) => (body.type === 'title' ? [body.title] : []));

/** How many rows a table of a store's file has. */
export function rowsIn(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const [row] = database.prepare(`select count(*) as rows from ${table}`).all();
  database.close();
  return Number(row?.['rows']);
}
