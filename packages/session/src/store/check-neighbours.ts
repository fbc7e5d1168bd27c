import { existsSync, rmSync, statSync } from 'node:fs';
import { AgentError } from '@x/core';
import { loadSqlite } from './load-sqlite.ts';
import { isBusy } from './sqlite-patience.ts';

/** Milliseconds, for a process that is just closing the file. */
const MOMENT = 100;

/**
 * Checks that SQLite's log and its index are both present or both absent. If one was removed while processes have the file open, a process
 * that opens it now would share only the other with them, and they would overwrite each other. `path` without links.
 * @throws AgentError `STORE_FAILED` while there are such processes
 */
export function checkNeighbours(path: string): void {
  const [log, index] = [`${path}-wal`, `${path}-shm`];
  // The index next to an empty file is left over from a removed one: SQLite creates it after the first page. It removes the log itself.
  if (existsSync(index) && statSync(path).size === 0) rmSync(index, { force: true });
  const isWhole = () => existsSync(log) === existsSync(index);
  if (isWhole() || statSync(path).size === 0) return;
  const alone = new (loadSqlite().DatabaseSync)(path);
  try {
    alone.exec(`pragma busy_timeout = ${MOMENT}; pragma locking_mode = exclusive`);
    alone.prepare('select count(*) from sqlite_schema').get(); // recovers from the log, without an index
  } catch (error) {
    if (!isBusy(error) || isWhole()) return; // what else is wrong is said when it is opened
    throw new AgentError(
      `The -wal or the -shm of the session store ${path} was removed while other processes have it open; nothing is recorded. Wait until they have ended or tried to write, then try again`,
      { code: 'STORE_FAILED', statusCode: 503, retryable: true, cause: error },
    );
  } finally {
    alone.close();
  }
}
