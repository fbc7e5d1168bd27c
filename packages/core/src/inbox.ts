import type { UserMessage } from './message.ts';

/** When a message sent during a run is delivered: at once, at the next turn, or in the next run. */
export type SendPriority = 'now' | 'next' | 'later';
/** Messages that arrive while a run is under way. */
export interface Inbox {
  /** What is to be delivered at this turn boundary, oldest first; `last` also closes the inbox when nothing is there. */
  take(options?: { readonly last?: boolean }): Promise<readonly UserMessage[]>;
  /** Aborted while a message with priority `now` waits; a fresh signal after it was taken. */
  readonly urgent: AbortSignal;
}
