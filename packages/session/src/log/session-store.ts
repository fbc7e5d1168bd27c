import type { SendPriority, UserMessage } from '@x/core';
import type { EntryBody, RunSubtype, SessionEntry } from './entry.ts';
import type { LiveChannel } from './live-channel.ts';

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
/** A command to the session itself: `compact` replaces older messages by a summary. */
export interface SessionCommand {
  readonly name: 'compact';
  /** Instructions for the summary. */
  readonly instructions?: string;
}
/** An answer to the question about a call; the id of its message says which one of them. */
export interface GivenAnswer {
  readonly callId: string;
  readonly answer: unknown;
}
/** A message that waits to be recorded. */
export interface InboxItem {
  readonly message: UserMessage;
  readonly priority: SendPriority;
  readonly maxTurns?: number;
  /** Carried out by the session; the model does not see such a message. */
  readonly command?: SessionCommand;
  /** Of a large message, whose content is empty here: the SHA-256 of the blob that has the body of its entry. */
  readonly blob?: string;
  /** The answer to a question: the run that asked takes it, and the model does not see the message. */
  readonly answer?: GivenAnswer;
}
/** A cached state of the log; losing it costs time only. */
export interface Snapshot {
  /** The last entry it includes. */
  readonly seq: number;
  /** Format of `state`, which a store keeps and never interprets. */
  readonly format: number;
  readonly state: Uint8Array;
}
/** Options of `acquire`. */
export interface AcquireOptions {
  /** Default false. True: acquire the lease even while somebody holds it, who is fenced from then on. */
  readonly takeOver?: boolean;
}
/** The expected state of a log; an append to any other is refused. */
export interface ExpectedHead {
  readonly epoch: number;
  readonly head: number;
}
/**
 * `running`: somebody has the session's lease and a run. `waiting`: its run waits for the answer to a question. `interrupted`: its run is
 * open, and nobody is known to be working on it. `idle`: it has no open run; messages may wait.
 */
export type SessionRunState = 'idle' | 'running' | 'waiting' | 'interrupted';
/** The end of the last run. */
export interface LastResult {
  readonly subtype: RunSubtype;
  readonly error?: { readonly code: string; readonly message: string };
}
/** One session in a list. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly cwd: string;
  /** Of the last `title` entry. */
  readonly title?: string;
  /** Of the last `metadata` entry. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The session it was forked from, as its first entry says. */
  readonly forkedFrom?: string;
  /** Absent for one that cannot be read. */
  readonly state?: SessionRunState;
  /** When the first question of a waiting session expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Absent while no run has ended. */
  readonly lastResult?: LastResult;
  readonly head: number;
  /** ISO 8601, by the store's clock: when it was last appended to. In the midst of a run it may lag by one renewal of the lease. */
  readonly updatedAt: string;
}
/** A session in whose inbox messages wait. */
export interface WaitingSession {
  readonly sessionId: string;
  /** The id of the message that came last. */
  readonly messageId: string;
}
/** Sessions with something to run that nobody runs: messages that no run has taken, a run that was cut off or left, a question that has expired. */
export interface Backlog {
  /** Counted up to 1000 with messages, and 1000 with a run. */
  readonly sessions: number;
  /**
   * Milliseconds that the first of them has waited: since its message was sent, by the clock of the sender; since the last sign of its
   * owner; since its question expired. 0 without any.
   */
  readonly oldestMs: number;
}
/** A session with an open run that somebody owns. */
export interface HeldSession {
  readonly sessionId: string;
  /** As given to `acquire`. */
  readonly owner: string;
  readonly epoch: number;
  /** Until the lease ends, unless it is renewed. */
  readonly leaseLeftMs: number;
}
/** A range of entries: after `after`, up to and including `upTo`. Absent: all. */
export interface EntryRange {
  readonly after?: number;
  readonly upTo?: number;
}
/** Selects the sessions to list. */
export interface SessionQuery {
  /** Only the session of this id, if the rest fits it too: its row, without reading others. */
  readonly sessionId?: string;
  /** Only those of this working directory. */
  readonly cwd?: string;
  /** Only those in this state, or in one of these. */
  readonly state?: SessionRunState | readonly SessionRunState[];
  /** Only those whose first question has expired at this time, in milliseconds since 1970. */
  readonly expiredAt?: number;
  /** Only those whose metadata have all these values. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The cursor of the page before. */
  readonly cursor?: string;
  /** Sessions per page, 1 to 1000. Default 50. */
  readonly limit?: number;
}
/** Synchronous reads, with the results and errors of the asynchronous methods of the same name. */
export interface ImmediateReads {
  read(sessionId: string, range?: EntryRange): Iterable<SessionEntry>;
  latestSnapshot(sessionId: string, format: number): Snapshot | undefined;
  getBlob(sessionId: string, sha256: string): Uint8Array | undefined;
}
/**
 * Storage of sessions. Every method is atomic, and durable once acknowledged. All but `create`, `list`, `renew` and `release` throw
 * SessionError `SESSION_NOT_FOUND` for a missing session, and all throw `SESSION_CLOSED` after disposal. Ids of sessions match
 * `^[A-Za-z0-9_-]{1,128}$`; `create` and `fork` throw a ValidationError for any other.
 *
 * An AgentError with `retryable: true` guarantees that the same call may be tried again: the store is slow (a lock, a full disk, no
 * connection). Nothing was recorded; or, when an answer was lost on its way, the same call finds out: an append is then refused with
 * `SESSION_CONFLICT` and its entries are in the log, a message is not taken twice. Sessions then wait, while their lease lasts, instead of
 * ending a run.
 */
export interface SessionStore extends AsyncDisposable {
  /** Creates a session with its first entry, of epoch 0. @throws SessionError `SESSION_EXISTS`, `ENTRY_TOO_LARGE` */
  create(sessionId: string, first: EntryBody): Promise<void>;
  /**
   * Acquires a free or expired lease, one epoch later; undefined while anybody holds it, the same `owner` too. It lasts for `ttlMs`
   * milliseconds by the store's clock; 0 means that it may be taken at once. `takeOver`: the lease is given although it is held.
   */
  acquire(sessionId: string, owner: string, ttlMs: number, options?: AcquireOptions): Promise<Lease | undefined>;
  /**
   * Milliseconds until the lease ends, unless it is renewed; 0 while nobody holds it. Without this method errors do not say how long to
   * wait.
   */
  leaseLeftMs?(sessionId: string): Promise<number>;
  /** False: stop immediately, somebody else owns the session, or it is gone. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /**
   * Ends the lease; the epoch stays, so that it may still append until the next owner. A failure is remembered: the lease does not delay
   * others of this store, and is given back with a later one. Does nothing for a lease that somebody else has taken.
   */
  release(lease: Lease): Promise<void>;
  /**
   * Appends all or nothing and returns the new head. `consume` takes messages out of the inbox in the same step; an id that is not there
   * counts as delivered from then on.
   * @throws SessionError `SESSION_FENCED` when `epoch` is no longer the session's, `SESSION_CONFLICT` when `head` is not, `ENTRY_TOO_LARGE`
   * for a body over 1 MiB of JSON
   */
  append(
    sessionId: string,
    expected: ExpectedHead,
    entries: readonly EntryBody[],
    consume?: readonly string[],
  ): Promise<number>;
  /**
   * Entries in order, without gaps. @throws SessionError `LOG_DAMAGED` for an entry that has changed since it was written, where the store
   * detects it
   */
  read(sessionId: string, range?: EntryRange): AsyncIterable<SessionEntry>;
  /** Replaces the snapshot before, unless that has the same format and covers more. */
  saveSnapshot(sessionId: string, snapshot: Snapshot): Promise<void>;
  /** Undefined without a snapshot of this format. */
  latestSnapshot(sessionId: string, format: number): Promise<Snapshot | undefined>;
  /**
   * Stores a message durably; needs no lease, so that any process may send. False when a message of this id is or was there. @throws
   * SessionError `ENTRY_TOO_LARGE`
   */
  enqueue(sessionId: string, item: InboxItem): Promise<boolean>;
  /**
   * Waiting messages in the order of arrival. @throws SessionError `SESSION_NOT_FOUND`; the holder of the lease of a session that another
   * process has removed may find an empty inbox instead, and gets the error with the next append
   */
  inbox(sessionId: string): Promise<readonly InboxItem[]>;
  /**
   * All sessions in whose inbox messages wait. Asked for about once a second by each process that serves: one query, not one for each
   * session. Without it a worker takes up what another process has sent only when it starts.
   */
  waiting?(): Promise<readonly WaitingSession[]>;
  /** One query, whatever the number of sessions: about once a minute by each process that measures it. Without it nobody measures. */
  backlog?(): Promise<Backlog>;
  /** Sessions with an open run and an owner, those renewed last first, 1000 at most. One query. Without it nobody lists who runs what. */
  held?(): Promise<readonly HeldSession[]>;
  /** Large bytes, by their sha256. The session moves bodies over 256 KB here. */
  putBlob(sessionId: string, sha256: string, bytes: Uint8Array): Promise<void>;
  getBlob(sessionId: string, sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Newest first (`updatedAt`), equal times by id. Over all pages, a session that does not change meanwhile appears exactly once, any other
   * at most once. @throws ValidationError for a `limit` out of range, or an invalid `cursor`
   */
  list(query?: SessionQuery): Promise<SessionPage>;
  /**
   * Creates a session with copies of the entries up to `upTo` and of the blobs; its first entry names this session as its source. The
   * copies keep their times and have epoch 0. @throws SessionError `SESSION_EXISTS`, `INVALID_FORK_POINT` when there is no entry `upTo`
   */
  fork(sessionId: string, upTo: number, newId: string): Promise<void>;
  /**
   * Removes a session with everything that belongs to it. @throws SessionError `SESSION_BUSY` with `unlessWaiting`, when messages wait in
   * its inbox
   */
  remove(sessionId: string, options?: { readonly unlessWaiting?: boolean }): Promise<void>;
  /**
   * A text that is another one whenever entries may have been added to the session since: by this store at once, by others within two seconds.
   * Costs microseconds; without it those who follow a session read four times a second.
   */
  changes?(sessionId: string): string;
  /** Live events between processes; without it those who follow a session in another process are told its records alone. Closed with the store. */
  readonly live?: LiveChannel;
  /** Absolute paths of the files and directories that the store writes on this machine; checkpoints leave them out, sandboxes hide them. */
  readonly files?: readonly string[];
  /**
   * Synchronous reads, for stores that have them (the two built-in ones do). Sessions that rest are then unloaded entirely; without it
   * their state stays in memory, packed.
   */
  readonly now?: ImmediateReads;
  /** Copies and shrinks the storage; absent when that is not this store's job. */
  readonly upkeep?: StoreUpkeep;
}
/** Options of a copy. */
export interface BackupSettings {
  /** Overwrites an existing copy. Default false: it is refused. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}
/** Size of the storage in bytes. */
export interface CompactedStore {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}
/** Backup and compaction of a store. */
export interface StoreUpkeep {
  /**
   * Copies all sessions, each as it is at one moment, to `to`, while others go on writing. The copy is durable, opens like the store, and
   * has no leases. Leaves nothing behind on failure. @throws ValidationError when `to` exists, AbortError
   */
  backup(to: string, settings?: BackupSettings): Promise<void>;
  /**
   * Returns the space of removed sessions to the system; nothing that was removed can be found afterwards.
   * @throws SessionError `SESSION_BUSY` while a running session prevents it
   */
  compact(): Promise<CompactedStore>;
}
/** A page of sessions; `cursor` asks for the next one. */
export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly cursor?: string;
}
