import type { SessionStore } from '../log/session-store.ts';
import { storeError } from './group-commit.ts';
import { storeClosed } from './refusals.ts';
import { giveBack, mayBeWritten, takeFile } from './shared-files.ts';
import { backlogMethods } from './sqlite-backlog.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import type { Access } from './sqlite-fragments.ts';
import { besideMethods } from './sqlite-inbox-and-blobs.ts';
import { leaseMethods } from './sqlite-leases.ts';
import { logMethods } from './sqlite-log.ts';
import { immediateReads } from './sqlite-reads.ts';
import { sessionMethods } from './sqlite-sessions.ts';
import { upkeep } from './sqlite-upkeep.ts';

/** The store of one file, and access to the file itself. */
export interface FileStore {
  readonly store: SessionStore & Required<Pick<SessionStore, 'now' | 'leaseLeftMs' | 'upkeep' | 'changes' | 'waiting'>>;
  readonly access: Access;
  /** True when the file is not open, or the path still leads to it. */
  isThere(): boolean;
  /** Closes it, like the disposal of the store. */
  close(): void;
}

/** `path` is absolute. Opened on first use. */
export function fileStore(path: string): FileStore {
  let held: OpenSqlite | undefined;
  let disposed = false;
  const giveUp = (): void => {
    if (held) giveBack(path, held);
    held = undefined;
  };
  /** Opens the file; after a failure the next use tries again. */
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
    path,
    read: () => open(true),
    write: async (work, options) => {
      const file = open(false);
      return await file.commits.write(() => work(file), options);
    },
  };
  const now = immediateReads(access);
  const leases = leaseMethods(access);
  const close = (): void => {
    disposed = true;
    giveUp();
  };
  const store = {
    ...logMethods(access),
    ...sessionMethods(access),
    ...leases,
    ...besideMethods(access, now),
    ...backlogMethods(access),
    now,
    files: [path],
    upkeep: upkeep(access, leases),
    changes: () => access.read().version(),
    [Symbol.asyncDispose]: async () => close(),
  };
  return { store, access, isThere: () => held === undefined || held.isThere(), close };
}
