import { createHash } from 'node:crypto';
import { type EntryBody, exportSession, memoryStore, type SessionStore } from '../../src/index.ts';
import type { InboxItem } from '../../src/store-port.ts';
import { bodiesOf } from './makers.ts';

/** A session with this log and these waiting messages, as its owners have left it. */
export async function stored(
  log: readonly EntryBody[],
  { store = memoryStore(), sessionId = 's1', inbox = [] }: Partial<Stored> = {},
): Promise<Stored> {
  const [first, ...others] = log;
  await store.create(sessionId, first!);
  if (others.length > 0) await store.append(sessionId, { epoch: 0, head: 1 }, others);
  for (const item of inbox) await store.enqueue(sessionId, item);
  return { store, sessionId, inbox };
}
interface Stored {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly inbox: readonly InboxItem[];
}

/** An entry that stands for a small body stored beside the log. */
export async function inBlob(store: SessionStore, sessionId: string, body: EntryBody): Promise<EntryBody> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await store.putBlob(sessionId, sha256, bytes);
  return { type: 'blob', of: body.type, sha256 };
}

export const linesOf = (store: SessionStore, sessionId: string): Promise<string[]> =>
  Array.fromAsync(exportSession(sessionId, { store }));

/** The same lines with counts and checksum of what is there now: whoever changes an export on purpose can do that too. */
export function sealed(lines: readonly string[]): string[] {
  const kept = lines.filter((line) => !line.includes('"type":"end"'));
  const count = (type: string) => kept.filter((line) => line.startsWith(`{"type":"${type}"`)).length;
  const sha256 = createHash('sha256').update(kept.join('')).digest('hex');
  return [...kept, `${JSON.stringify({ type: 'end', entries: count('entry'), inbox: count('inbox'), sha256 })}\n`];
}

/** Everything of a session but the times of its entries. */
export async function contentOf(store: SessionStore, sessionId: string) {
  const bodies = await bodiesOf(store, sessionId);
  const blobs: [string, Uint8Array | undefined][] = [];
  for (const body of bodies)
    if (body.type === 'blob') blobs.push([body.sha256, await store.getBlob(sessionId, body.sha256)]);
  return { bodies, blobs, inbox: await store.inbox(sessionId) };
}
