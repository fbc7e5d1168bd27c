import type { UserMessage } from './message.ts';

/** Delivery of a message sent during a run: immediately, at the next turn, or in the next run. */
export type SendPriority = 'now' | 'next' | 'later';
/** Messages that arrive while a run is under way. */
export interface Inbox {
  /** The messages to deliver at this turn boundary, oldest first; `last` also closes the inbox when it is empty. */
  take(options?: { readonly last?: boolean }): Promise<readonly UserMessage[]>;
  /** Aborted while a message with priority `now` waits; a fresh signal after that message was taken. */
  readonly urgent: AbortSignal;
}
