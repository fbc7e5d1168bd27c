import { goesOnWith } from '../log/goes-on-with.ts';
import type { Backlog, InboxItem } from '../log/session-store.ts';

/** Sessions that are counted, of each kind. */
export const MOST_COUNTED = 1000;
/**
 * Condition of SQL on the JSON in `body` of a message for which `goesOnWith` is true. In texts of users quotes are escaped; other values may
 * match as well, which counts a session too many.
 */
export const GOES_ON = `(body like '%"answer":{%' or body like '%"priority":"now"%')`;

/** One session with something to run that nobody runs. */
export interface Unserved {
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Counts each session once. */
export function backlogOf(found: Iterable<Unserved>, now: number): Backlog {
  const ids = new Set<string>();
  let oldest = now;
  for (const { sessionId, since } of found) {
    ids.add(sessionId);
    oldest = Math.min(oldest, since);
  }
  return { sessions: ids.size, oldestMs: now - oldest };
}

/** When the message was sent, by the clock of its sender, in milliseconds since 1970; now for one that does not say. */
export function sentAt({ message }: InboxItem, now: number): number {
  const at = Date.parse(message.createdAt);
  return Number.isFinite(at) ? at : now;
}

/** Of one session that nobody has a lease of: since when it has something to run; undefined while it has nothing. */
export function unservedSince(
  {
    run,
    until = Number.POSITIVE_INFINITY,
    updatedAt,
    items,
  }: {
    readonly run: 'open' | 'waiting' | null;
    readonly until?: number | undefined;
    readonly updatedAt: number;
    readonly items: readonly InboxItem[];
  },
  now: number,
): number | undefined {
  const first = items[0];
  const sent = first && (run !== 'waiting' || goesOnWith(items)) ? [sentAt(first, now)] : [];
  const cut = run === 'open' ? [updatedAt] : [];
  const expired = run === 'waiting' && until <= now ? [until] : [];
  const times = [...sent, ...cut, ...expired];
  return times.length === 0 ? undefined : Math.min(...times);
}
