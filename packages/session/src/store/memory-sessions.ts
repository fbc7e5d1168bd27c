import type { EntryBody } from '../log/entry.ts';
import type {
  Backlog,
  HeldSession,
  InboxItem,
  LastResult,
  SessionQuery,
  SessionSummary,
  Snapshot,
  WaitingSession,
} from '../log/session-store.ts';
import { backlogOf, MOST_COUNTED, type Unserved, unservedSince } from './backlog.ts';
import type { MemoryLog } from './memory-log.ts';
import { alreadyExists, checkSessionId, notFound, storeClosed } from './refusals.ts';
import { isAskedFor, type RunMark, stateOf } from './run-mark.ts';
import type { PageStart } from './session-page.ts';

/** One session in memory. */
export interface Stored {
  readonly log: MemoryLog;
  cwd: string;
  title: string | undefined;
  metadata: Readonly<Record<string, string>> | undefined;
  forkedFrom: string | undefined;
  run: RunMark;
  lastResult: LastResult | undefined;
  epoch: number;
  /** The number of the session, never used again in the store. */
  readonly number: number;
  owner: string | undefined;
  leaseUntil: number;
  /** JSON by message id, in the order of arrival; undefined while nothing waits. */
  inbox: Map<string, string> | undefined;
  /** Ids of the messages that left the inbox. */
  readonly delivered: string[];
  snapshot: Snapshot | undefined;
  blobs: Map<string, Uint8Array> | undefined;
}

/** The sessions of one memory store, until it is closed. */
export class MemorySessions {
  readonly #sessions = new Map<string, Stored>();
  #closed = false;
  #made = 0;

  /** @throws SessionError `SESSION_NOT_FOUND` */
  find(sessionId: string): Stored {
    const stored = this.peek(sessionId);
    if (!stored) throw notFound(sessionId);
    return stored;
  }

  peek(sessionId: string): Stored | undefined {
    this.#checkOpen();
    return this.#sessions.get(sessionId);
  }

  /** @throws SessionError `SESSION_EXISTS`, ValidationError for an invalid id */
  add(sessionId: string, first: EntryBody, log: MemoryLog): Stored {
    this.#checkOpen();
    checkSessionId(sessionId);
    if (this.#sessions.has(sessionId)) throw alreadyExists(sessionId);
    const stored = emptySession(first, { log, number: this.#made++ });
    this.#sessions.set(sessionId, stored);
    return stored;
  }

  waiting(): WaitingSession[] {
    this.#checkOpen();
    return [...this.#sessions].flatMap(([sessionId, { inbox }]) => {
      const messageId = [...(inbox?.keys() ?? [])].at(-1);
      return messageId === undefined ? [] : { sessionId, messageId };
    });
  }

  backlog(): Backlog {
    this.#checkOpen();
    const now = Date.now();
    const found: Unserved[] = [];
    for (const [sessionId, stored] of this.#sessions) {
      if (leaseLeftMs(stored) > 0) continue;
      const { run, until } = stored.run;
      const items = [...(stored.inbox?.values() ?? [])].map(itemOf);
      const state = { run: stored.epoch === 0 ? null : run, until, updatedAt: stored.log.updatedAt, items };
      const since = unservedSince(state, now);
      if (since !== undefined) found.push({ sessionId, since });
    }
    return backlogOf(found, now);
  }

  held(): HeldSession[] {
    this.#checkOpen();
    const found = [...this.#sessions].flatMap(([sessionId, stored]) => {
      const { owner, epoch, run, leaseUntil } = stored;
      const leftMs = leaseLeftMs(stored);
      if (owner === undefined || run.run !== 'open' || leftMs === 0) return [];
      return [{ until: leaseUntil, held: { sessionId, owner, epoch, leaseLeftMs: leftMs } }];
    });
    const ordered = found.toSorted((one, other) => other.until - one.until);
    return ordered.slice(0, MOST_COUNTED).map(({ held }) => held);
  }

  /** @throws SessionError `SESSION_NOT_FOUND` */
  remove(sessionId: string): void {
    this.find(sessionId);
    this.#sessions.delete(sessionId);
  }

  /** Sessions after the cursor, newest first; up to limit + 1. */
  summaries(query: SessionQuery, { updatedAt, sessionId, limit }: PageStart): SessionSummary[] {
    this.#checkOpen();
    const start = { id: sessionId, at: updatedAt };
    const behind = [...this.#sessions].flatMap(([id, stored]) => {
      const at = stored.log.updatedAt;
      return byTime(start, { id, at }) < 0 ? [{ id, at, stored }] : [];
    });
    const found: SessionSummary[] = [];
    for (const { id, stored } of behind.sort(byTime)) {
      const summary = summaryOf(id, stored);
      if (isAskedFor(query, summary)) found.push(summary);
      if (found.length > limit) break;
    }
    return found;
  }

  close(): void {
    this.#closed = true;
    this.#sessions.clear();
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed('in memory');
  }
}

/** Takes messages out of the inbox, for ever. */
export function takeOut(stored: Stored, ids: readonly string[]): void {
  for (const id of ids) {
    stored.inbox?.delete(id);
    stored.delivered.push(id);
  }
  if (stored.inbox?.size === 0) stored.inbox = undefined;
}

export function itemOf(json: string): InboxItem {
  return JSON.parse(json) as InboxItem; // safe: written by enqueue
}

interface Timed {
  readonly id: string;
  readonly at: number;
}

function byTime(one: Timed, other: Timed): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

function emptySession(first: EntryBody, own: Pick<Stored, 'log' | 'number'>): Stored {
  const { cwd, forkedFrom } = first.type === 'session_created' ? first : { cwd: '', forkedFrom: undefined };
  return {
    ...own,
    cwd,
    title: undefined,
    metadata: undefined,
    forkedFrom: forkedFrom?.sessionId,
    run: { run: null },
    lastResult: undefined,
    epoch: 0,
    owner: undefined,
    leaseUntil: 0,
    inbox: undefined,
    delivered: [],
    snapshot: undefined,
    blobs: undefined,
  };
}

export function leaseLeftMs({ owner, leaseUntil }: Stored): number {
  return owner === undefined ? 0 : Math.max(0, leaseUntil - performance.now());
}

function summaryOf(sessionId: string, stored: Stored): SessionSummary {
  const { cwd, title, metadata, forkedFrom, run: mark, lastResult, epoch, log } = stored;
  const state = stateOf(mark.run, epoch, () => leaseLeftMs(stored) > 0);
  return {
    sessionId,
    cwd,
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    state,
    ...(state === 'waiting' && mark.until !== undefined ? { expiresAt: mark.until } : {}),
    ...(lastResult === undefined ? {} : { lastResult }),
    head: log.length,
    updatedAt: new Date(log.updatedAt).toISOString(),
  };
}
