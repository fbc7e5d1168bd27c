import { DatabaseSync } from 'node:sqlite';

/** Control: from now on the SQLite files of this process are written without ever asking the disk to keep anything. */
export function withoutFlush(): void {
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    return exec.call(this, sql.replace(/synchronous\s*=\s*\w+/i, 'synchronous = off'));
  };
}
