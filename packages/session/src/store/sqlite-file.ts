import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { makeDirectory } from '../make-directory.ts';
import { checkNeighbours } from './check-neighbours.ts';
import { GroupCommit, storeError } from './group-commit.ts';
import { LeasedSessions } from './leased-sessions.ts';
import { loadSqlite } from './load-sqlite.ts';
import { NamedDatabase, NamedFile } from './named-file.ts';
import { IMPATIENT, PATIENT, patiently } from './sqlite-patience.ts';
import { migrate } from './sqlite-schema.ts';
import { WalRoom } from './wal-room.ts';

/** Bytes that the log keeps at most once it is written from its beginning again: after a long reader it had grown. */
const MOST_OF_THE_LOG = `pragma journal_size_limit = ${16 * 1024 * 1024}`;

/** An open file: reads are answered at once, writes go through `commits`. */
export interface OpenSqlite {
  readonly commits: GroupCommit;
  /** What its writes know of the sessions that are leased through it. */
  readonly leased: LeasedSessions;
  all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[];
  /** The number of rows changed. Only inside a write of `commits`. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** The file was removed or replaced: whoever wants to go on closes this and opens it again. */
  readonly isLost: boolean;
  /** Empties the write-ahead log; false where that was not possible now, mostly since another connection reads. */
  emptyLog(): boolean;
  close(): void;
}

/** Opens (or makes) the file and its tables. @throws SessionError for a file of a newer version */
export function openSqlite(path: string): OpenSqlite {
  makeDirectory(dirname(path));
  const { database, file } = connect(path);
  try {
    const name = realpathSync(path); // SQLite names the neighbours of a link after where it leads
    checkNeighbours(name);
    database.exec(
      `${PATIENT}; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; ${MOST_OF_THE_LOG}`,
    );
    migrate(database, path);
    database.exec(IMPATIENT);
    return openFile(database, { file, name });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Tries again where the name led to another file while it was opened. */
function connect(path: string, triesLeft = 2): { readonly database: DatabaseSync; readonly file: NamedFile } {
  makeFile(path);
  chmodSync(path, 0o600);
  const file = new NamedFile(path);
  const database = new (loadSqlite().DatabaseSync)(path);
  if (file.isThere() || triesLeft === 0) return { database, file };
  database.close();
  return connect(path, triesLeft - 1);
}

/**
 * SQLite would make the file with the usual mode; made here, it is private from its first byte. One that exists is never opened here:
 * closing it would take away the locks that other connections of this process hold on it (fcntl(2)), and with them, once another
 * process closes, the end of the log.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // safe: only its code is looked at
  }
}

function openFile(
  database: DatabaseSync,
  { file, name }: { readonly file: NamedFile; readonly name: string },
): OpenSqlite {
  const { path } = file;
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  let changes = 0;
  const pragma = (name: string) => database.prepare(`pragma ${name}`).get()?.[name];
  const named = new NamedDatabase(file, { name, hasLog: pragma('journal_mode') === 'wal' });
  const room = new WalRoom(`${name}-wal`, Number(pragma('page_size')));
  const leased = new LeasedSessions();
  const commits = new GroupCommit(database, {
    changes: () => changes,
    path,
    onBegun: (writes) => {
      named.check();
      room.make(writes);
    },
    onUndone: () => leased.clear(),
  });
  return {
    commits,
    leased,
    get isLost() {
      return named.isLost;
    },
    all(sql, ...values) {
      try {
        return patiently(database, () => prepared(sql).all(...values));
      } catch (error) {
        throw storeError(error, `read ${path}`);
      }
    },
    run(sql, ...values) {
      const statement = prepared(sql);
      statement.setReadBigInts(true); // as in GroupCommit: row ids grow above 2^53
      const changed = Number(statement.run(...values).changes);
      changes += changed;
      for (const value of values) room.spend(sizeOf(value));
      return changed;
    },
    emptyLog() {
      room.spend(Number.POSITIVE_INFINITY); // it is to look again
      return emptyLog(database);
    },
    close() {
      commits.flush();
      room.close();
      if (named.isLost) saveLog(database);
      database.close();
    },
  };
}

/** Whether nothing of it is left; a full disk or a lock is, like a reader, a reason to try again. */
function emptyLog(database: DatabaseSync): boolean {
  try {
    return !database.isOpen || database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
  } catch {
    return false;
  }
}

/** SQLite does not bring the log home when it closes a file that has lost its name; where that was moved only, it is still of use. */
function saveLog(database: DatabaseSync): void {
  try {
    database.exec('pragma wal_checkpoint(passive)');
  } catch {
    // Its disk may be gone too; nobody was told that more is recorded.
  }
}

/** About what a value takes in the file, in bytes, where that may be much. */
function sizeOf(value: SQLInputValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
