import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OptionRule } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { type FileStore, fileStore } from './file-store.ts';
import { isLostFile } from './named-file.ts';
import { isSessionId, notFound, storeClosed } from './refusals.ts';

/** Files that stay open while unused; each takes four file descriptors. */
const MOST_OPEN = 32;
export const END = '.db';

interface OpenFile extends FileStore {
  readonly path: string;
  uses: number;
}

/** The files of a directory, one for each session, opened when they are used. */
export class SessionFiles {
  readonly directory: string;
  readonly #open = new Map<string, OpenFile>();
  #isClosed = false;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Some file systems ignore case: names of ids with capitals get a hash. */
  pathOf(sessionId: string): string {
    const small = sessionId.toLowerCase();
    return join(this.directory, `${small === sessionId ? small : `${small}.${hashOf(sessionId)}`}${END}`);
  }

  /** Undefined for an id with capitals, which the name does not contain. */
  idOf(path: string): string | undefined {
    const name = basename(path, END);
    return isSessionId(name) ? name : undefined;
  }

  /** All of them. */
  paths(): string[] {
    this.#assertOpen();
    if (!existsSync(this.directory)) return [];
    return readdirSync(this.directory)
      .filter((name) => name.endsWith(END))
      .map((name) => join(this.directory, name));
  }

  /** Works with the file of a session. @throws SessionError `SESSION_NOT_FOUND` */
  async withSession<T>(sessionId: string, work: (file: FileStore) => Promise<T>): Promise<T> {
    return await this.#repeated(() => this.use(sessionId), work);
  }

  /** Works with a file, created when missing. */
  async withFile<T>(path: string, work: (file: FileStore) => Promise<T>): Promise<T> {
    return await this.#repeated(() => this.#usePath(path), work);
  }

  /** Works with one of `paths()`; undefined when it was removed meanwhile. */
  async withListed<T>(path: string, work: (file: FileStore) => Promise<T>): Promise<T | undefined> {
    return existsSync(path) ? await this.withFile(path, work) : undefined;
  }

  /** Runs `work` synchronously on the file of a session. */
  now<T>(sessionId: string, work: (file: FileStore) => T): T {
    const file = this.use(sessionId);
    try {
      return work(file);
    } finally {
      this.leave(file);
    }
  }

  /** The file of a session, which stays open until it is left. @throws SessionError `SESSION_NOT_FOUND` */
  use(sessionId: string): OpenFile {
    this.#assertOpen();
    const path = isSessionId(sessionId) ? this.pathOf(sessionId) : undefined;
    if (path === undefined || !existsSync(path)) throw notFound(sessionId);
    return this.#usePath(path);
  }

  leave(left: OpenFile): void {
    left.uses -= 1;
    if (left.uses === 0 && this.#open.get(left.path) !== left) left.close();
    for (const [path, file] of this.#open) {
      if (this.#open.size <= MOST_OPEN) return;
      if (file.uses > 0) continue;
      this.#open.delete(path);
      file.close();
    }
  }

  /** Removes a file without a session, left by a process that was killed while creating it; false for any other. */
  async removeEmpty(path: string): Promise<boolean> {
    if (!existsSync(path)) return true;
    return await this.withFile(path, async ({ access }) => {
      const isRemoved = await access.write((open) => {
        if (open.all('select 1 from sessions limit 1').length > 0) return false;
        open.unlink();
        return true;
      });
      if (isRemoved) this.#open.delete(path);
      return isRemoved;
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const file of this.#open.values()) file.close();
    this.#open.clear();
  }

  /** Repeats the work when the file was removed, or replaced, since it was opened: nothing of it was recorded. */
  async #repeated<T>(use: () => OpenFile, work: (file: FileStore) => Promise<T>, triesLeft = 9): Promise<T> {
    const file = use();
    try {
      return await work(file);
    } catch (error) {
      if (triesLeft === 0 || !isLostFile(error)) throw error;
    } finally {
      this.leave(file);
    }
    return await this.#repeated(use, work, triesLeft - 1);
  }

  #usePath(path: string): OpenFile {
    this.#assertOpen();
    const held = this.#open.get(path);
    const file = held?.isThere() ? held : { ...fileStore(path), path, uses: 0 };
    if (held && held !== file && held.uses === 0) held.close();
    file.uses += 1;
    this.#open.delete(path);
    this.#open.set(path, file); // the latest
    return file;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw storeClosed(this.directory);
  }
}

function hashOf(sessionId: string): string {
  const { hash } = process.getBuiltinModule('node:crypto'); // its import costs as much as ten files
  return hash('sha256', sessionId).slice(0, 16);
}

/** URLs, SQLite's own names (`:memory:`), the shell's home, and what no file system takes. One letter before a colon is a drive. */
const NO_PATH = /^(?:$|:|~(?:[\\/]|$)|[a-z][a-z\d+.-]+:)|\0/i;

/** The rule for a path, which refuses what would become a file of an odd name. */
export function pathOf(kind: string): OptionRule {
  return is.rule(
    `the path of ${kind}, not a URL, without ~ (join it with homedir()); sessions without a file are in memoryStore()`,
    (path) => typeof path === 'string' && !NO_PATH.test(path),
  );
}
