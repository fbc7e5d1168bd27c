import type { UserMessage } from '@x/core';
import { readBody } from './large-body.ts';
import { wholeItem } from './large-item.ts';
import type { SessionStore } from './session-store.ts';

/** The message of this id that a session was sent, whether it waits or is in the log; undefined for one that was a command. */
export async function sentMessage(
  store: SessionStore,
  sessionId: string,
  messageId: string,
): Promise<UserMessage | undefined> {
  const waiting = (await store.inbox(sessionId)).find(({ message }) => message.id === messageId);
  if (waiting) return (await wholeItem(store, sessionId, waiting)).message;
  for await (const { body: stored } of store.read(sessionId)) {
    const body = await readBody(store, sessionId, stored);
    if (body.type !== 'record' || body.record.type !== 'message') continue;
    const { message } = body.record;
    if (message.role === 'user' && message.id === messageId) return message;
  }
  return undefined;
}
