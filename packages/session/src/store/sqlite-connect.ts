import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '@x/sandbox/internal';
import { loadSqlite } from './load-sqlite.ts';
import { NamedFile } from './named-file.ts';

/** A connection to a file; nothing was read from it yet. */
export interface Connection {
  readonly database: DatabaseSync;
  readonly file: NamedFile;
  /** The error that prevents writing; absent when the file can be written. */
  readonly obstacle?: unknown;
  /** True when a read-only connection still shows the present content of the file. */
  isCurrent(): boolean;
}

/** Opens the file, created with its directories when missing, or read-only where writing is not allowed. */
export function connect(path: string, triesLeft = 2): Connection {
  makeFile(path);
  const obstacle = obstacleTo(path);
  const file = new NamedFile(path);
  const made = obstacle === undefined ? openToWrite(path) : openToRead(path, file);
  // The name may lead to another file by now.
  if (!file.isThere() && triesLeft > 0) {
    made.database.close();
    return connect(path, triesLeft - 1);
  }
  return { file, ...made, ...(obstacle === undefined ? {} : { obstacle }) };
}

/** The error of the system for writing to a file that can be read; undefined when it can be written. */
export function obstacleTo(path: string): unknown {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(realpathSync(path)), constants.W_OK); // SQLite's log is made there
    return undefined;
  } catch (error) {
    if (isReadable(path)) return error;
    throw error;
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).size > 0;
  } catch {
    return false; // why it cannot be written says more
  }
}

function openToWrite(path: string): Pick<Connection, 'database' | 'isCurrent'> {
  return { database: new (loadSqlite().DatabaseSync)(path), isCurrent: () => true };
}

/** Reads a file without a log as immutable, for as long as that is true: SQLite would have to create a log and its index. */
function openToRead(path: string, file: NamedFile): Pick<Connection, 'database' | 'isCurrent'> {
  const name = realpathSync(path);
  const url = process.getBuiltinModule('node:url').pathToFileURL(name); // seldom needed
  const hasLog = () => existsSync(`${name}-wal`);
  if (hasLog())
    return { database: new (loadSqlite().DatabaseSync)(url, { readOnly: true }), isCurrent: () => file.isThere() };
  url.searchParams.set('immutable', '1');
  const database = new (loadSqlite().DatabaseSync)(url, { readOnly: true });
  return { database, isCurrent: () => file.isUnchanged() && !hasLog() };
}

/**
 * Creates the file, private from its first byte; SQLite would use the usual mode. An existing one is never opened here: closing it would
 * drop the locks that other connections of this process hold on it (fcntl(2)), and with them, once another process closes, the end of the
 * log.
 */
export function makeFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) {
    // An empty one becomes ours with its first table.
    if (found.size === 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & 0o700);
    return;
  }
  makeDirectory(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // safe: only its code is looked at
  }
}
