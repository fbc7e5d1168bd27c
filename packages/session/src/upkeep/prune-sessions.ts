import { AbortError, isAgentError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { removeCheckpoints } from '../checkpoints/session-checkpoints.ts';
import { loadState } from '../log/load-state.ts';
import type { SessionStore, SessionSummary } from '../log/session-store.ts';
import { STORE, type StoreOptions, usingStore } from '../store/using-store.ts';

/** Selects the sessions to remove. */
export interface PruneOptions extends StoreOptions {
  /** Removes sessions whose last entry is older. */
  readonly olderThan: Date;
  /** Ids of sessions that stay, however old they are. */
  readonly keep?: readonly string[];
  readonly signal?: AbortSignal;
}
/**
 * The reason why an old session stays: it is run, has messages that wait, has a run that has not ended, has changed meanwhile, or has a log
 * that is damaged or of a newer version.
 */
export type LeftReason = 'running' | 'waiting' | 'unfinished' | 'changed' | 'unreadable';
/** The result of `pruneSessions`. */
export interface PrunedSessions {
  /** Ids, oldest first. */
  readonly removed: readonly string[];
  /** Old sessions that stay, other than those of `keep`. */
  readonly left: readonly { readonly sessionId: string; readonly reason: LeftReason }[];
}

const PRUNE: OptionRules<PruneOptions> = {
  store: STORE,
  olderThan: is.required(is.rule('a Date', (value) => value instanceof Date && !Number.isNaN(value.getTime()))),
  keep: is.listOf(is.text, 'a list of session ids'),
  signal: is.abortSignal,
};

/** Milliseconds; longer than looking at a session and removing it takes. */
const LEASE_MS = 60_000;
/** Sessions a page of the list. */
const PAGE = 1000;
/** Sessions removed at once: SQLite rewrites a small file once for all of them. */
const AT_ONCE = 16;

/**
 * Removes sessions that were not written to since `olderThan`, oldest first, with everything that belongs to them; their forks stay
 * complete. A session that is run, has messages that wait, or a run that has not ended, stays. @throws ValidationError; AbortError between
 * two sets of 16 sessions, after which those already removed stay removed
 */
export async function pruneSessions(options: PruneOptions): Promise<PrunedSessions> {
  checkOptions('The options', options, PRUNE);
  const { olderThan, keep = [], signal } = options;
  return await usingStore(options, async (store) => {
    const removed: string[] = [];
    const left: PrunedSessions['left'][number][] = [];
    const sessions = await sessionsBefore(store, olderThan.toISOString(), new Set(keep));
    while (sessions.length > 0) {
      if (signal?.aborted) throw new AbortError();
      const some = sessions.splice(0, AT_ONCE);
      const outcomes = await Promise.allSettled(some.map((session) => removeResting(store, session)));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') throw outcome.reason; // all have come to their end: nobody uses the store any more
        const { sessionId } = some[index]!;
        if (outcome.value === undefined) removed.push(sessionId);
        else left.push({ sessionId, reason: outcome.value });
      }
    }
    return { removed, left };
  });
}

/** Oldest first. */
async function sessionsBefore(store: SessionStore, time: string, kept: ReadonlySet<string>): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.sessions.filter(({ sessionId, updatedAt }) => updatedAt < time && !kept.has(sessionId)));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found.reverse();
}

/** Removes a session, unless there is a reason to leave it, which it returns. */
async function removeResting(
  store: SessionStore,
  { sessionId, head }: SessionSummary,
): Promise<LeftReason | undefined> {
  try {
    const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
    if (!lease) return 'running';
    const reason = lease.head === head ? await reasonToStay(store, sessionId) : 'changed';
    if (reason) await store.release(lease);
    return reason;
  } catch (error) {
    if (isAgentError(error) && error.code === 'SESSION_NOT_FOUND') return undefined; // somebody else has removed it
    throw error;
  }
}

async function reasonToStay(store: SessionStore, sessionId: string): Promise<LeftReason | undefined> {
  try {
    const { state } = await loadState(store, sessionId);
    if (state.run) return 'unfinished';
    await store.remove(sessionId, { unlessWaiting: true });
    removeCheckpoints(sessionId);
    return undefined;
  } catch (error) {
    if (!isAgentError(error)) throw error;
    if (error.code === 'SESSION_BUSY') return 'waiting';
    if (error.code === 'LOG_DAMAGED' || error.code === 'LOG_TOO_NEW') return 'unreadable';
    throw error;
  }
}
