import type { SendPriority, UserMessage } from '@x/core';
import type { EntryBody, SessionEntry } from './entry.ts';

/** The right to write to one session until `expiresInMs` after the last renewal, by the store's clock. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  readonly head: number;
  /** Fencing token: one higher at each take-over. The epoch guards the log, not the clock. */
  readonly epoch: number;
}
/** A message that waits to be recorded. */
export interface InboxItem {
  readonly message: UserMessage;
  readonly priority: SendPriority;
  readonly maxTurns?: number;
}
/** A cache of what the log comes to; losing it costs time only. */
export interface Snapshot {
  /** Includes every entry up to this one. */
  readonly seq: number;
  readonly format: number;
  readonly state: unknown;
}
/** What an append expects to find; anything else refuses it. */
export interface ExpectedHead {
  readonly epoch: number;
  readonly head: number;
}
/** One line of a list of sessions. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string;
  readonly head: number;
  readonly updatedAt: string;
}
/** Where sessions live. Every method is atomic; what it acknowledges is durable. */
export interface SessionStore extends AsyncDisposable {
  /** @throws SessionError `SESSION_EXISTS` */
  create(sessionId: string, first: EntryBody): Promise<void>;
  /** A free or expired lease, one epoch later; undefined while another owner holds it. @throws SessionError `SESSION_NOT_FOUND` */
  acquire(sessionId: string, owner: string, ttlMs: number): Promise<Lease | undefined>;
  /** False: stop at once, someone else owns the session. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /**
   * Appends all or nothing and returns the new head. `consume` takes messages out of the inbox in the same step.
   * @throws SessionError `SESSION_FENCED` when `epoch` is no longer the session's, `SESSION_CONFLICT` when `head` is not,
   * `ENTRY_TOO_LARGE` for a body over 1 MiB of JSON
   */
  append(
    sessionId: string,
    expected: ExpectedHead,
    entries: readonly EntryBody[],
    consume?: readonly string[],
  ): Promise<number>;
  read(sessionId: string, range?: { readonly after?: number; readonly upTo?: number }): AsyncIterable<SessionEntry>;
  saveSnapshot(sessionId: string, snapshot: Snapshot): Promise<void>;
  latestSnapshot(sessionId: string, format: number): Promise<Snapshot | undefined>;
  /** Durable, needs no lease, so that any process may send. False when a message of this id is or was there. */
  enqueue(sessionId: string, item: InboxItem): Promise<boolean>;
  /** In the order of arrival. */
  inbox(sessionId: string): Promise<readonly InboxItem[]>;
  /** Large bytes, by their sha256. The session moves bodies over 256 KB here. */
  putBlob(sessionId: string, sha256: string, bytes: Uint8Array): Promise<void>;
  getBlob(sessionId: string, sha256: string): Promise<Uint8Array | undefined>;
  /** Newest first; at most `limit` (default 50) a page. */
  list(query?: { readonly cwd?: string; readonly cursor?: string; readonly limit?: number }): Promise<SessionPage>;
  /** A new session with the entries up to `upTo`, and this session named as its source. */
  fork(sessionId: string, upTo: number, newId: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
}
/** A page of sessions; `cursor` asks for the next one. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly cursor?: string;
}
