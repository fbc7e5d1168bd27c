import { resolve } from 'node:path';
import { ValidationError } from '@x/core';
import { checkKeys } from '../check-keys.ts';
import type { SessionStore } from '../log/session-store.ts';
import { requireNode } from '../node-version.ts';
import { storeError } from './group-commit.ts';
import { storeClosed } from './refusals.ts';
import { giveBack, mayBeWritten, takeFile } from './shared-files.ts';
import type { Access } from './sqlite-access.ts';
import { besideMethods } from './sqlite-beside.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { leaseMethods } from './sqlite-leases.ts';
import { logMethods } from './sqlite-log.ts';
import { immediateReads } from './sqlite-reads.ts';
import { sessionMethods } from './sqlite-sessions.ts';
import { upkeep } from './sqlite-upkeep.ts';

/** Where the store is. */
export interface SqliteStoreOptions {
  /** The file; made with mode 0600 in a directory of mode 0700. A relative one counts from the working directory of this call. */
  readonly path: string;
}

/**
 * Sessions in one SQLite file (WAL, `synchronous=FULL`), shared by any number of sessions and processes. Opened on first use,
 * once for all stores of a path in this process; where it may not be written it can still be read.
 * Writes that wait together share one commit. The caller disposes of it, after the sessions that use it are closed.
 * @throws ValidationError; AgentError `UNSUPPORTED_NODE`
 */
export function sqliteStore(options: SqliteStoreOptions): SessionStore {
  requireNode();
  checkKeys(options, ['path']);
  const path = fileAt(options.path);
  let held: OpenSqlite | undefined;
  let disposed = false;
  const giveUp = (): void => {
    if (held) giveBack(path, held);
    held = undefined;
  };
  /** After a failure the next use tries again. */
  const open = (isRead: boolean): OpenSqlite => {
    if (disposed) throw storeClosed(path);
    try {
      if (held && (held.isStale || (!isRead && mayBeWritten(path, held)))) giveUp();
      held ??= takeFile(path);
      if (!isRead && held.obstacle !== undefined) throw held.obstacle;
      return held;
    } catch (error) {
      throw storeError(error, `open ${path}${isRead ? '' : ' to write to it'}`, { isRead });
    }
  };
  const access: Access = {
    read: () => open(true),
    write: async (work, options) => {
      const file = open(false);
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
      giveUp();
    },
  };
}

/** The absolute path, by the working directory of this moment. */
function fileAt(path: unknown): string {
  if (typeof path === 'string' && path !== '' && path !== ':memory:' && !path.startsWith('file:')) return resolve(path);
  throw new ValidationError('path must be the path of a file; sessions without a file are in memoryStore()', 'path');
}
