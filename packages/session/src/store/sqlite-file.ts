import { realpathSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { checkNeighbours } from './check-neighbours.ts';
import { GroupCommit, storeError } from './group-commit.ts';
import { LeasedSessions } from './leased-sessions.ts';
import { NamedDatabase } from './named-file.ts';
import { type Connection, connect } from './sqlite-connect.ts';
import { checkIdentity } from './sqlite-identity.ts';
import { IMPATIENT, PATIENT, patiently } from './sqlite-patience.ts';
import { migrate } from './sqlite-schema.ts';
import { WalRoom } from './wal-room.ts';

/** The log shrinks to 16 MiB when it restarts: a long reader may have made it grow. */
const SETTINGS =
  'pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma journal_size_limit = 16777216';

/** An open file: reads are synchronous, writes go through `commits`. */
export interface OpenSqlite {
  readonly commits: GroupCommit;
  /** Leased sessions that its writes know about. */
  readonly leased: LeasedSessions;
  all(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[];
  /** Returns the number of rows changed. Only inside a write of `commits`. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** The error that prevents writing; absent when the file can be written. */
  readonly obstacle?: unknown;
  /** Another text after every commit, of any connection. */
  version(): string;
  /** True when the file was removed or replaced, or has changed although opened as immutable: close it, and open it again. */
  readonly isStale: boolean;
  /** The path still leads to this file. */
  isThere(): boolean;
  /** Removes the file. Only inside a write of `commits`. */
  unlink(): void;
  /** Empties the write-ahead log; false when that was not possible, mostly because another connection reads. */
  emptyLog(): boolean;
  close(): void;
}

/** Opens (or creates) the file and its tables. @throws SessionError for a file of a newer version */
export function openSqlite(path: string): OpenSqlite {
  const connection = connect(path);
  const { database, obstacle } = connection;
  try {
    const name = realpathSync(path); // SQLite names the neighbours of a link after where it leads
    if (obstacle === undefined) checkNeighbours(name);
    database.exec(PATIENT);
    checkIdentity(database, path);
    if (obstacle === undefined) database.exec(SETTINGS);
    migrate(database, path, obstacle !== undefined);
    database.exec(IMPATIENT);
    return openFile(connection, name);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Statements, each prepared once. */
function statementsOf(database: DatabaseSync, readBigInts = false): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement) return statement;
    statement = database.prepare(sql);
    statement.setReadBigInts(readBigInts);
    statements.set(sql, statement);
    return statement;
  };
}

function openFile({ database, file, obstacle, isCurrent }: Connection, name: string): OpenSqlite {
  const { path } = file;
  const prepared = statementsOf(database);
  const preparedToRun = statementsOf(database, true); // as in GroupCommit: row ids grow above 2^53
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
    ...(obstacle === undefined ? {} : { obstacle }),
    version: () => `${String(prepared('pragma data_version').get()?.['data_version'])}.${changes}`,
    get isStale() {
      return !database.isOpen || named.isLost || !isCurrent();
    },
    isThere: () => named.isThere(),
    unlink: () => named.unlink(),
    all(sql, ...values) {
      try {
        return patiently(database, () => prepared(sql).all(...values));
      } catch (error) {
        throw storeError(error, `read ${path}`, { isRead: true });
      }
    },
    run(sql, ...values) {
      const changed = Number(preparedToRun(sql).run(...values).changes);
      changes += changed;
      for (const value of values) room.spend(sizeOf(value));
      return changed;
    },
    emptyLog() {
      room.spend(Number.POSITIVE_INFINITY); // it is to look again
      return emptyLog(database);
    },
    close() {
      if (!database.isOpen) return;
      commits.flush();
      room.close();
      leaveName(database, named);
      database.close();
    },
  };
}

/** True when the log is empty; a full disk or a lock is, like a reader, a reason to try again. */
function emptyLog(database: DatabaseSync): boolean {
  try {
    return !database.isOpen || database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
  } catch {
    return false;
  }
}

/** SQLite leaves the log of a file that has lost its name; written into the file, it helps when the file was only moved. */
function leaveName(database: DatabaseSync, named: NamedDatabase): void {
  try {
    if (!named.isLost && named.isThere()) return;
    database.exec('begin immediate');
    named.removeLog();
    database.exec('rollback; pragma wal_checkpoint(passive)');
  } catch {
    // Its disk may be gone too, or others hold it: nothing more was reported as recorded.
  }
}

/** Approximate bytes of a value in the file, where that may be much. */
function sizeOf(value: SQLInputValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}
