import type { RunContext, UserMessage } from '@x/core';

/** By run: ids of the messages that a standard handler has written. */
const own = new WeakMap<RunContext, Set<string>>();

/** Marks the message as written by the SDK itself: it is no prompt of a user, so no hook judges it. */
export function markOwnMessage(run: RunContext, message: UserMessage): UserMessage {
  const ids = own.get(run) ?? new Set();
  own.set(run, ids.add(message.id));
  return message;
}

/** True when the message was marked by `markOwnMessage`, even if a handler has changed it since. */
export function isOwnMessage(run: RunContext, { id }: UserMessage): boolean {
  return own.get(run)?.has(id) ?? false;
}
