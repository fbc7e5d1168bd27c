import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AgentError, isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { isBusy, kindOf, PATIENCE_MS, patiently } from './sqlite-patience.ts';
import { adviceFor } from './store-advice.ts';

export interface WriteOptions {
  /**
   * Accepts that a power cut may lose the write although it was acknowledged; the end of the process alone does not. A later flushed write
   * makes it durable too. Default false.
   */
  readonly mayBeLost?: boolean;
}

interface Waiting extends WriteOptions {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommitOptions {
  /** The number of rows changed on this connection so far. */
  readonly changes: () => number;
  /** Used in errors. */
  readonly path: string;
  /** Called inside each transaction, before its first change, with the number of writes. An error that it throws refuses them all. */
  readonly onBegun?: (writes: number) => void;
  /** Called when a transaction was undone, whatever its works have seen. Must not throw. */
  readonly onUndone?: () => void;
  /** Milliseconds to retry while another connection holds the lock. Default 5000. */
  readonly patienceMs?: number;
}

/** Longest pause between two tries to get the lock, in milliseconds. */
const PAUSE_MS = 8;
const SQLITE_IOERR = 10;
/** Of SQLite: busy, full. */
const PASSING_KINDS: readonly unknown[] = [5, 13];
/** Of the system. */
const PASSING_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

/**
 * Runs the writes that wait together in one transaction, flushed once per turn of the event loop: one fsync for all of them. A write that
 * throws before it changes anything is refused alone; the others commit. While another connection writes, the lock is retried without
 * blocking the event loop; SQLite's own pauses, of up to 100 ms, starve one of many writers. The connection must be an impatient one
 * (`IMPATIENT`).
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #options: GroupCommitOptions;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #pause: NodeJS.Timeout | undefined;
  /** True when a refused write may still be found in the file after a crash. */
  #mayReturn = false;
  /** Time of the first failed try for the lock, by the monotonic clock. */
  #missedAt: number | undefined;
  /** The present setting of SQLite; the connection is opened with true. */
  #isFlushed = true;

  constructor(database: DatabaseSync, options: GroupCommitOptions) {
    this.#database = database;
    this.#options = options;
    this.#begin = database.prepare('begin immediate');
    this.#end = database.prepare('commit');
    // Each `run` returns the last row id; Node 26 throws for a number above 2^53, which the sessions after the first million reach.
    for (const statement of [this.#begin, this.#end]) statement.setReadBigInts(true);
  }

  /** Resolves with what `work` returned once it is durable. `work` must be synchronous. */
  write<T>(work: () => T, options: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...options, work, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#turn());
    });
  }

  /** Commits all waiting writes now; blocks while another connection writes. */
  flush(): void {
    clearTimeout(this.#pause);
    const batch = this.#takeAll();
    if (batch.length > 0) this.#commit(batch, () => this.#beginPatiently(batch));
  }

  /** Commits the waiting writes, or retries soon when another connection has the lock. */
  #turn(): void {
    try {
      if (this.#waiting.length > 0) this.#beginFor(this.#waiting);
    } catch (error) {
      if (this.#isWorthAnotherTry(error)) this.#pause = setTimeout(() => this.#turn(), 1 + PAUSE_MS * Math.random());
      else for (const { reject } of this.#takeAll()) reject(this.#typed(error));
      return;
    }
    this.#missedAt = undefined;
    const batch = this.#takeAll();
    if (batch.length > 0) this.#commit(batch, () => undefined);
  }

  #takeAll(): Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#scheduled = false;
    return batch;
  }

  #beginPatiently(batch: readonly WriteOptions[] = []): void {
    patiently(this.#database, () => this.#beginFor(batch));
  }

  /** Flushes a batch unless all of it may be lost. SQLite accepts that setting only outside of a transaction. */
  #beginFor(batch: readonly WriteOptions[]): void {
    const isFlushed = batch.length === 0 || !batch.every(({ mayBeLost }) => mayBeLost);
    if (isFlushed !== this.#isFlushed) this.#database.exec(`pragma synchronous = ${isFlushed ? 'full' : 'normal'}`);
    this.#isFlushed = isFlushed;
    this.#begin.run();
  }

  /** Outside of WAL mode a commit waits for readers. */
  #endPatiently(): void {
    patiently(this.#database, () => this.#end.run());
  }

  #isWorthAnotherTry(error: unknown): boolean {
    if (!isBusy(error)) return false;
    this.#missedAt ??= performance.now();
    if (performance.now() - this.#missedAt < (this.#options.patienceMs ?? PATIENCE_MS)) return true;
    this.#missedAt = undefined;
    return false;
  }

  #commit(batch: readonly Waiting[], begin: () => void): void {
    const outcomes = this.#transaction(batch, begin);
    if (outcomes) outcomes.forEach((settle) => settle());
    // Something unexpected happened to one of several: each is tried alone, so that only the guilty one fails.
    else
      for (const one of batch)
        this.#transaction([one], () => this.#beginPatiently([one]))?.forEach((settle) => settle());
  }

  /** Functions that settle the writes; undefined when the batch was rolled back and is to be tried one by one. */
  #transaction(batch: readonly Waiting[], begin: () => void): (() => void)[] | undefined {
    let failed: unknown;
    const outcomes: (() => void)[] = [];
    const refused = (reason: unknown) =>
      batch.map(
        ({ reject }) =>
          () =>
            reject(this.#typed(reason)),
      );
    try {
      begin();
      this.#options.onBegun?.(batch.length);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return refused(error); // nobody had the lock, or the file is gone; each one alone would fare the same
    }
    try {
      for (const { work, resolve, reject } of batch) {
        const before = this.#options.changes();
        try {
          const value = work();
          outcomes.push(() => resolve(value as never));
        } catch (error) {
          // A failure of the file may have ended the transaction; only a refusal of ours leaves the other writes as they are.
          if (this.#options.changes() !== before || !isAgentError(error)) throw error;
          outcomes.push(() => reject(error));
        }
      }
      this.#endPatiently();
      this.#mayReturn = false;
      return outcomes;
    } catch (error) {
      failed = error;
    }
    this.#options.onUndone?.();
    // SQLite rolls back by itself after some errors, a full disk among them.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    if (kindOf(failed) === SQLITE_IOERR) this.#writeOver();
    return batch.length > 1 ? undefined : refused(failed);
  }

  /**
   * A commit whose flush has failed stays at the end of the write-ahead log, after the valid frames: opening the file after a crash would
   * find it again. The next commit overwrites it, so an empty one is made.
   */
  #writeOver(): void {
    this.#mayReturn = true;
    try {
      const version = Number(this.#database.prepare('pragma user_version').get()?.['user_version']);
      this.#beginPatiently();
      this.#database.exec(`pragma user_version = ${version}`);
      this.#endPatiently();
      this.#mayReturn = false;
    } catch {
      if (this.#database.isTransaction) this.#database.exec('rollback'); // the error says so
    }
  }

  #typed(reason: unknown): unknown {
    return storeError(reason, `write to ${this.#options.path}`, { mayReturn: this.#mayReturn });
  }
}

/**
 * Converts a failure of the file to a typed error; our own refusals pass unchanged. `attempt` says what was tried with which file,
 * `mayReturn` that it may have been written all the same, `isRead` that nothing was to be written. It is `retryable` when nothing was
 * recorded and the cause may pass by itself.
 */
export function storeError(
  cause: unknown,
  attempt: string,
  { mayReturn = false, isRead = false }: { mayReturn?: boolean; isRead?: boolean } = {},
): unknown {
  if (isAgentError(cause)) return cause;
  const { errcode } = cause as { errcode?: unknown };
  const number = typeof errcode === 'number' ? ` (SQLite ${errcode})` : '';
  const recorded = mayReturn
    ? 'It counts as not recorded, but may be found recorded after a crash. '
    : 'Nothing of it was recorded. ';
  return new AgentError(
    `The session store could not ${attempt}${number}: ${messageOf(cause)}. ${isRead ? '' : recorded}${adviceFor(cause)}`.trim(),
    { code: 'STORE_FAILED', statusCode: 503, cause, ...(isPassing(cause) && !mayReturn ? { retryable: true } : {}) },
  );
}

/** True for a lock, a full disk or too many open files, which others may end at any moment. */
function isPassing(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return PASSING_KINDS.includes(kindOf(cause)) || PASSING_CODES.includes(code);
}
