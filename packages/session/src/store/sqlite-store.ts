import { ValidationError } from '@x/core';
import { checkKeys } from '../check-keys.ts';
import type { SessionStore } from '../log/session-store.ts';
import { requireNode } from '../node-version.ts';
import { storeError } from './group-commit.ts';
import { storeClosed } from './refusals.ts';
import type { Access } from './sqlite-access.ts';
import { besideMethods } from './sqlite-beside.ts';
import { type OpenSqlite, openSqlite } from './sqlite-file.ts';
import { leaseMethods } from './sqlite-leases.ts';
import { logMethods } from './sqlite-log.ts';
import { immediateReads } from './sqlite-reads.ts';
import { sessionMethods } from './sqlite-sessions.ts';
import { upkeep } from './sqlite-upkeep.ts';

/** Where the store is. */
export interface SqliteStoreOptions {
  /** The file; made with mode 0600 in a directory of mode 0700. */
  readonly path: string;
}

/**
 * Sessions in one SQLite file (WAL, `synchronous=FULL`), shared by any number of sessions and processes. Opened on first use.
 * Writes that wait together share one commit. The caller disposes of it, after the sessions that use it are closed.
 * @throws ValidationError; AgentError `UNSUPPORTED_NODE`
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  requireNode();
  checkKeys(options, ['path']);
  const { path } = options;
  if (typeof path !== 'string' || path === '') throw new ValidationError('path must be the path of a file', 'path');
  let opened: OpenSqlite | undefined;
  let disposed = false;
  const open = (): OpenSqlite => {
    if (disposed) throw storeClosed(path);
    if (opened?.isLost) close();
    try {
      return (opened ??= openSqlite(path)); // after a failure the next use tries again
    } catch (error) {
      throw storeError(error, `open ${path}`);
    }
  };
  const close = (): void => {
    const file = opened;
    opened = undefined;
    file?.close();
  };
  const access: Access = {
    read: open,
    write: async (work, options) => {
      const file = open();
      return await file.commits.write(() => work(file), options);
    },
  };
  const now = immediateReads(access);
  const leases = leaseMethods(access);
  return {
    ...logMethods(access, now),
    ...sessionMethods(access),
    ...leases,
    ...besideMethods(access, now),
    now,
    upkeep: upkeep(access, path, leases),
    async [Symbol.asyncDispose]() {
      disposed = true;
      close();
    },
  };
}
