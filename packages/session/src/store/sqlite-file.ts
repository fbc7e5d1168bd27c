import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { makeDirectory } from '../make-directory.ts';
import { GroupCommit, storeError } from './group-commit.ts';
import { LeasedSessions } from './leased-sessions.ts';
import { IMPATIENT, PATIENT, patiently } from './sqlite-patience.ts';
import { migrate } from './sqlite-schema.ts';
import { WalRoom } from './wal-room.ts';

/** An open file: reads are answered at once, writes go through `commits`. */
export interface OpenSqlite {
  readonly commits: GroupCommit;
  /** What its writes know of the sessions that are leased through it. */
  readonly leased: LeasedSessions;
  all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[];
  /** The number of rows changed. Only inside a write of `commits`. */
  run(sql: string, ...values: SQLInputValue[]): number;
  close(): void;
}

/** Opens (or makes) the file and its tables. @throws SessionError for a file of a newer version */
export function openSqlite(path: string): OpenSqlite {
  makeDirectory(dirname(path));
  makeFile(path);
  chmodSync(path, 0o600);
  const database = new (loadSqlite().DatabaseSync)(path);
  try {
    database.exec(`${PATIENT}; pragma journal_mode = wal; pragma synchronous = full`);
    migrate(database, path);
    database.exec(IMPATIENT);
  } catch (error) {
    database.close();
    throw error;
  }
  return openFile(database, path);
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

function openFile(database: DatabaseSync, path: string): OpenSqlite {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };
  let changes = 0;
  const room = new WalRoom(`${path}-wal`, Number(database.prepare('pragma page_size').get()?.['page_size']));
  const leased = new LeasedSessions();
  const commits = new GroupCommit(database, {
    changes: () => changes,
    path,
    onBegun: (writes) => room.make(writes),
    onUndone: () => leased.clear(),
  });
  return {
    commits,
    leased,
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
    close() {
      commits.flush();
      room.close();
      database.close();
    },
  };
}

/** About what a value takes in the file, in bytes, where that may be much. */
function sizeOf(value: SQLInputValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

/**
 * Node 22 warns that its SQLite is experimental; that one warning, at this one load, is kept from the reader. Synchronous, so that
 * nobody else's warning can come in between.
 */
function loadSqlite(): { readonly DatabaseSync: typeof DatabaseSync } {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
