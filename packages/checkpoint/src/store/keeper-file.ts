import { chmodSync, closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AgentError, messageOf } from '@x/errors';

const VERSION = 2;
/** 'XCKP': tells the file from databases of other programs. */
const APPLICATION = 0x58434b50;

const SCHEMA = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE contents (hash TEXT PRIMARY KEY, first INTEGER NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE pieces (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  CREATE TABLE tree (path TEXT PRIMARY KEY, entry TEXT NOT NULL, stamp TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE changes (id INTEGER PRIMARY KEY, path TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
    calls TEXT, at INTEGER NOT NULL);
  CREATE TABLE points (id INTEGER PRIMARY KEY, message TEXT NOT NULL UNIQUE, role TEXT NOT NULL, at INTEGER NOT NULL,
    position INTEGER NOT NULL);
  CREATE TABLE rewinds (id TEXT PRIMARY KEY, actions TEXT NOT NULL, done INTEGER NOT NULL) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${VERSION};`;

/** The file that a keeper keeps everything in: one SQLite database, of one process at a time. Each transaction is one fsync. */
export class KeeperFile {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * @param waitMs Waits so long for another process that has it.
   * @throws AgentError `CHECKPOINT_FILE` for a file of something else or of another version, `CHECKPOINT_BUSY` while another process has it
   */
  constructor(path: string, waitMs: number = 0) {
    closeSync(openSync(path, 'a', 0o600)); // SQLite would make it readable to others
    // By the module system's own door: bundlers leave `node:sqlite` alone, and old versions of Node get to the caller's message.
    const { DatabaseSync: Database } = createRequire(import.meta.url)('node:sqlite') as typeof Sqlite;
    this.#database = new Database(path, { timeout: waitMs });
    try {
      this.#open();
      chmodSync(path, 0o600);
    } catch (error) {
      this.#database.close();
      throw error instanceof AgentError ? error : unusable(path, error);
    }
  }

  #open(): void {
    const database = this.#database;
    // The lock is the kernel's: it goes with its process, however that ends.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;',
    );
    this.transaction(() => {
      const { application_id: application } = this.one<{ application_id: number }>('PRAGMA application_id')!;
      const { user_version: version } = this.one<{ user_version: number }>('PRAGMA user_version')!;
      const { count } = this.one<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')!;
      if (application === APPLICATION && version === VERSION) return;
      if (application === APPLICATION) throw new Error(otherVersion(version));
      if (count > 0) throw new Error('it is a database of another program');
      database.exec(SCHEMA);
    });
  }

  transaction<T>(act: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const value = act();
      this.#database.exec('COMMIT');
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  run(sql: string, ...values: (string | number | Uint8Array | null)[]): void {
    this.#prepared(sql).run(...values);
  }

  one<T>(sql: string, ...values: (string | number)[]): T | undefined {
    return this.#prepared(sql).get(...values) as T | undefined; // safe: the row of our own statement
  }

  all<T>(sql: string, ...values: (string | number)[]): T[] {
    return this.#prepared(sql).all(...values) as T[]; // safe: as above
  }

  /** A copy as one file, in a directory that exists; the target must not. */
  copyTo(path: string): void {
    this.#database.exec(`VACUUM INTO '${path.replaceAll("'", "''")}'`);
    chmodSync(path, 0o600);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function otherVersion(version: number): string {
  return `it is of version ${version}, and this is version ${VERSION}; remove it, and new checkpoints begin`;
}

function unusable(path: string, error: unknown): AgentError {
  const isBusy = /database is locked/.test(messageOf(error));
  return new AgentError(
    isBusy
      ? `Another process keeps its checkpoints in ${path}; wait until it has ended, or name another file`
      : `The checkpoints in ${path} cannot be used: ${messageOf(error)}`,
    { code: isBusy ? 'CHECKPOINT_BUSY' : 'CHECKPOINT_FILE', cause: error },
  );
}
