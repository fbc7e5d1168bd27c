import type { DatabaseSync } from 'node:sqlite';
import { AgentError, isAgentError, messageOf } from '@x/core';

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Runs the writes that wait together in one transaction, flushed once per turn of the event loop: one fsync for all of them. A
 * write that throws before it changes anything is refused alone; the others commit.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #changes: () => number;
  #waiting: Waiting[] = [];
  #scheduled = false;

  /** `changes`: the rows that works have changed on this connection so far. */
  constructor(database: DatabaseSync, changes: () => number) {
    this.#database = database;
    this.#changes = changes;
  }

  /** Resolves with what `work` returned once it is durable. `work` must be synchronous. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.flush());
    });
  }

  /** Commits what waits, now. */
  flush(): void {
    this.#scheduled = false;
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    const outcomes = this.#transaction(batch);
    if (outcomes) outcomes.forEach((settle) => settle());
    // Something unexpected happened to one of several: each is tried alone, so that only the guilty one fails.
    else for (const one of batch) this.#transaction([one])?.forEach((settle) => settle());
  }

  /** How each write is to be settled; undefined when the batch was rolled back and is to be tried one by one. */
  #transaction(batch: readonly Waiting[]): (() => void)[] | undefined {
    let failed: unknown;
    const outcomes: (() => void)[] = [];
    const refused = (reason: unknown) =>
      batch.map(
        ({ reject }) =>
          () =>
            reject(storeError(reason)),
      );
    try {
      this.#database.exec('begin immediate');
    } catch (error) {
      return refused(error); // nobody had the lock; each one alone would wait as long again
    }
    try {
      for (const { work, resolve, reject } of batch) {
        const before = this.#changes();
        try {
          const value = work();
          outcomes.push(() => resolve(value as never));
        } catch (error) {
          if (this.#changes() !== before) throw error;
          outcomes.push(() => reject(error));
        }
      }
      this.#database.exec('commit');
      return outcomes;
    } catch (error) {
      failed = error;
    }
    // SQLite rolls back by itself after some errors, a full disk among them.
    if (this.#database.isTransaction) this.#database.exec('rollback');
    return batch.length > 1 ? undefined : refused(failed);
  }
}

/** A failure of the file below, as a typed error; our own refusals pass unchanged. */
export function storeError(cause: unknown, attempt = 'write'): unknown {
  if (isAgentError(cause)) return cause;
  const { errcode } = cause as { errcode?: unknown };
  const number = typeof errcode === 'number' ? ` (SQLite ${errcode})` : '';
  return new AgentError(
    `The session store could not ${attempt}${number}: ${messageOf(cause)}. Nothing of it was recorded.`,
    {
      code: 'STORE_FAILED',
      statusCode: 503,
      cause,
    },
  );
}
