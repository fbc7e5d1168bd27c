import { type UserMessage, ValidationError } from '@x/core';
import { mediaOf } from '@x/core/internal';
import type { EntryBody } from './entry.ts';
import { readBody, storeLarge } from './large-body.ts';
import type { InboxItem, SessionStore } from './session-store.ts';

/**
 * `store.enqueue`, for a message with pictures or files too: when the entry that it becomes is a large one, it waits as that blob, so that
 * its bytes are stored once, before and after it is delivered.
 */
export function enqueueItem(store: SessionStore, sessionId: string, item: InboxItem): Promise<boolean> {
  if (mediaOf(item.message).length === 0) return store.enqueue(sessionId, item);
  return storedItem(store, sessionId, item).then((stored) => store.enqueue(sessionId, stored));
}

/** The item with its message. @throws SessionError `LOG_DAMAGED` when the bytes of its blob are missing or changed */
export async function wholeItem(store: SessionStore, sessionId: string, item: InboxItem): Promise<InboxItem> {
  const { blob: sha256, ...rest } = item;
  if (sha256 === undefined) return item;
  const body = await readBody(store, sessionId, { type: 'blob', of: 'record', sha256 });
  return { ...rest, message: messageOfBlob(body, item) };
}

/** The message of a waiting item, in the body that its blob has. @throws ValidationError when it has none, or another one */
export function messageOfBlob(body: EntryBody, { message: { id } }: InboxItem): UserMessage {
  const message = body.type === 'record' && body.record.type === 'message' ? body.record.message : undefined;
  if (message?.role === 'user' && message.id === id) return message;
  throw new ValidationError(`names a blob without the message ${id}`);
}

async function storedItem(store: SessionStore, sessionId: string, item: InboxItem): Promise<InboxItem> {
  const { message } = item;
  const [body] = await storeLarge(store, sessionId, [
    { type: 'record', scope: [], record: { type: 'message', message } },
  ]);
  return body?.type === 'blob' ? { ...item, message: { ...message, content: [] }, blob: body.sha256 } : item;
}
