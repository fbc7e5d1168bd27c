import type { SendPriority, UserMessage } from '@x/core';
import type { EntryBody, SessionEntry } from './entry.ts';

/** The right to write to one session until `expiresInMs` after the last renewal, by the store's clock. */
export interface Lease {
  readonly sessionId: string;
  readonly owner: string;
  readonly head: number;
  /**
   * Fencing token: one higher at each take-over, and never one of a removed session that had the same id. The epoch guards the log, not
   * the clock.
   */
  readonly epoch: number;
}
/** What a message asks of the session itself: `compact` puts a summary in the place of older messages. */
export interface SessionCommand {
  readonly name: 'compact';
  /** What the summary is to heed. */
  readonly instructions?: string;
}
/** A message that waits to be recorded. */
export interface InboxItem {
  readonly message: UserMessage;
  readonly priority: SendPriority;
  readonly maxTurns?: number;
  /** Carried out by the session; the model is not shown such a message. */
  readonly command?: SessionCommand;
}
/** A cache of what the log comes to; losing it costs time only. */
export interface Snapshot {
  /** Includes every entry up to this one. */
  readonly seq: number;
  /** Of `state`. A store keeps it and never looks inside. */
  readonly format: number;
  readonly state: Uint8Array;
}
/** How a lease is asked for. */
export interface AcquireOptions {
  /** Default false. True: also while somebody holds it, who is fenced from then on. */
  readonly takeOver?: boolean;
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
  /** Of the last `title` entry. */
  readonly title?: string;
  /** Of the last `metadata` entry. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The session it was forked from, as its first entry says. */
  readonly forkedFrom?: string;
  readonly head: number;
  /** ISO 8601, by the store's clock: when it was last appended to. In the midst of a run it may lag by one renewal of the lease. */
  readonly updatedAt: string;
}
/** Which entries: those behind `after`, up to `upTo`, which is among them. Absent: all. */
export interface EntryRange {
  readonly after?: number;
  readonly upTo?: number;
}
/** Which sessions to list. */
export interface SessionQuery {
  /** Only those of this working directory. */
  readonly cwd?: string;
  /** Of the page before. */
  readonly cursor?: string;
  /** Sessions a page, 1 to 1000. Default 50. */
  readonly limit?: number;
}
/** Reads that are answered at once. They say and throw what the asynchronous ones of the same name do. */
export interface ImmediateReads {
  read(sessionId: string, range?: EntryRange): Iterable<SessionEntry>;
  latestSnapshot(sessionId: string, format: number): Snapshot | undefined;
  getBlob(sessionId: string, sha256: string): Uint8Array | undefined;
}
/**
 * Where sessions live. Every method is atomic; what it acknowledges is durable. All but `create`, `list`, `renew` and `release`
 * throw SessionError `SESSION_NOT_FOUND` for a session that is not there, and every one `SESSION_CLOSED` after disposal. Ids of
 * sessions match `^[A-Za-z0-9_-]{1,128}$`; `create` and `fork` throw a ValidationError for another one.
 *
 * An AgentError with `retryable: true` says that nothing was recorded, and that the same may be asked again: the store is slow (a lock, a
 * full disk, no connection). Sessions wait then, while their lease lasts, instead of ending a run.
 */
export interface SessionStore extends AsyncDisposable {
  /** A session with its first entry, of epoch 0. @throws SessionError `SESSION_EXISTS`, `ENTRY_TOO_LARGE` */
  create(sessionId: string, first: EntryBody): Promise<void>;
  /**
   * A free or expired lease, one epoch later; undefined while anybody holds it, the same `owner` too. It lasts for `ttlMs` milliseconds
   * by the store's clock, and may be taken at once when that is 0. `takeOver`: the lease is given although it is held.
   */
  acquire(sessionId: string, owner: string, ttlMs: number, options?: AcquireOptions): Promise<Lease | undefined>;
  /** Milliseconds until the lease ends, unless it is renewed; 0 while nobody holds it. Without it nobody is told how long to wait. */
  leaseLeftMs?(sessionId: string): Promise<number>;
  /** False: stop at once, someone else owns the session, or it is gone. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /**
   * The epoch stays, so that the lease may append until it is taken. One that fails is remembered: the lease holds up nobody who asks this
   * store, and is given back with a later one. Does nothing for a lease that somebody else has taken.
   */
  release(lease: Lease): Promise<void>;
  /**
   * Appends all or nothing and returns the new head. `consume` takes messages out of the inbox in the same step; an id that is
   * not there counts as delivered from then on.
   * @throws SessionError `SESSION_FENCED` when `epoch` is no longer the session's, `SESSION_CONFLICT` when `head` is not,
   * `ENTRY_TOO_LARGE` for a body over 1 MiB of JSON
   */
  append(
    sessionId: string,
    expected: ExpectedHead,
    entries: readonly EntryBody[],
    consume?: readonly string[],
  ): Promise<number>;
  /** In order, without gaps. @throws SessionError `LOG_DAMAGED` for an entry that is not the one that was written, where the store sees it */
  read(sessionId: string, range?: EntryRange): AsyncIterable<SessionEntry>;
  /** Takes the place of the one before, unless that has the same format and covers more. */
  saveSnapshot(sessionId: string, snapshot: Snapshot): Promise<void>;
  /** Undefined when there is none, or one of another format. */
  latestSnapshot(sessionId: string, format: number): Promise<Snapshot | undefined>;
  /** Durable, needs no lease, so that any process may send. False when a message of this id is or was there. @throws SessionError `ENTRY_TOO_LARGE` */
  enqueue(sessionId: string, item: InboxItem): Promise<boolean>;
  /**
   * In the order of arrival. @throws SessionError `SESSION_NOT_FOUND`; whoever has the lease of a session that another process has removed
   * may find an empty inbox instead, and is told by the next append
   */
  inbox(sessionId: string): Promise<readonly InboxItem[]>;
  /** Large bytes, by their sha256. The session moves bodies over 256 KB here. */
  putBlob(sessionId: string, sha256: string, bytes: Uint8Array): Promise<void>;
  getBlob(sessionId: string, sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Newest first (`updatedAt`), those of one time by id. Over all pages, a session that does not change meanwhile comes exactly once,
   * one that does at most once. @throws ValidationError for a `limit` out of range, or a `cursor` that is none
   */
  list(query?: SessionQuery): Promise<SessionPage>;
  /**
   * A new session with copies of the entries up to `upTo` and of the blobs; its first entry names this session as its source. The
   * copies keep their times and have epoch 0. @throws SessionError `SESSION_EXISTS`, `INVALID_FORK_POINT` when there is no entry `upTo`
   */
  fork(sessionId: string, upTo: number, newId: string): Promise<void>;
  /** With everything that belongs to it. @throws SessionError `SESSION_BUSY` where `unlessWaiting` is asked for and messages wait in its inbox */
  remove(sessionId: string, options?: { readonly unlessWaiting?: boolean }): Promise<void>;
  /**
   * Reads that are answered at once, for stores that can (the two built-in ones can). Sessions that rest are then unloaded whole;
   * without it their state stays in memory, packed.
   */
  readonly now?: ImmediateReads;
  /** Copies and shrinks the place of the sessions; absent where somebody else takes care of that. */
  readonly upkeep?: StoreUpkeep;
}
/** How a copy is made. */
export interface BackupSettings {
  /** Default false: what is there is refused. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}
/** Bytes of the place of the sessions. */
export interface CompactedStore {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}
/** Care of the place where sessions are kept. */
export interface StoreUpkeep {
  /**
   * Copies all sessions, each as it is at one moment, to `to`, while others go on writing. The copy is durable, opens like the store, and
   * nobody runs a session of it. Leaves nothing behind when it fails. @throws ValidationError for a `to` that is taken, AbortError
   */
  backup(to: string, settings?: BackupSettings): Promise<void>;
  /**
   * Gives the room of what was removed back to the system; nothing that was removed can be found afterwards.
   * @throws SessionError `SESSION_BUSY` while a session is run and that stands in the way
   */
  compact(): Promise<CompactedStore>;
}
/** A page of sessions; `cursor` asks for the next one. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly cursor?: string;
}
