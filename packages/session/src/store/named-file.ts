import { existsSync, rmSync, type Stats, statSync } from 'node:fs';
import { AgentError, isAgentError } from '@x/core';

/** The file that had a name at one time; it stays this one, whatever happens to the name. */
export class NamedFile {
  readonly path: string;
  readonly #found: Stats | undefined;

  constructor(path: string) {
    this.path = path;
    this.#found = statsOf(path);
  }

  /** The name still leads to this file. */
  isThere(): boolean {
    const found = statsOf(this.path);
    return found !== undefined && found.ino === this.#found?.ino && found.dev === this.#found.dev;
  }

  /** True when the file is there and nobody has written to it. */
  isUnchanged(): boolean {
    const found = statsOf(this.path);
    return this.isThere() && found?.mtimeMs === this.#found?.mtimeMs && found?.size === this.#found?.size;
  }
}

/**
 * An open database and its write-ahead log. A connection continues with both after they were removed or replaced; what it writes then is
 * gone once the last process closes them.
 */
export class NamedDatabase {
  readonly #file: NamedFile;
  readonly #name: string;
  readonly #log: NamedFile | undefined;
  #isLost = false;

  /** `name`: as SQLite names it, without links. `hasLog`: false where the file system does not allow one. */
  constructor(file: NamedFile, { name, hasLog }: { readonly name: string; readonly hasLog: boolean }) {
    this.#file = file;
    this.#name = name;
    this.#log = hasLog ? new NamedFile(`${name}-wal`) : undefined;
  }

  /** True after a failed check. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Only inside a write transaction. @throws AgentError `STORE_FAILED` when the file or its log was removed, or the file replaced */
  check(): void {
    const isThere = this.#file.isThere();
    // Only looked for: a stat of the log would make its times exact with the next write, and the flush then writes them too.
    if (isThere && (!this.#log || existsSync(this.#log.path))) return;
    this.#isLost = true;
    this.removeLog();
    throw new AgentError(
      `The file of the session store ${this.#file.path}, or its -wal, was removed or replaced while it was open; nothing more is recorded. Put the file back together with its -wal: the next use opens what is there by then`,
      // If only the log was removed, closing the connection writes its content into the file.
      {
        code: 'STORE_FAILED',
        statusCode: 503,
        details: { path: this.#file.path },
        ...(isThere ? { retryable: true } : {}),
      },
    );
  }

  /** The name still leads to this file. */
  isThere(): boolean {
    return this.#file.isThere();
  }

  /** Removes the file. Only inside a write transaction. */
  unlink(): void {
    this.#isLost = true;
    rmSync(this.#name, { force: true });
    this.removeLog();
  }

  /**
   * Removes the log of a file that has lost its name: a file that has the name now must not get this log. Only inside a write transaction:
   * no other process that shares the log is here at the same time.
   */
  removeLog(): void {
    if (this.isThere() || !this.#log?.isThere()) return;
    for (const end of ['-wal', '-shm']) rmSync(this.#name + end, { force: true });
  }
}

/** True when `NamedDatabase.check` has failed: nothing was recorded, and the next use opens the file that is there by then. */
export function isLostFile(error: unknown): boolean {
  return isAgentError(error) && error.code === 'STORE_FAILED' && Object.hasOwn(error.details ?? {}, 'path');
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
