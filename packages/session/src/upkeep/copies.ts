import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { BackupSettings, CompactedStore, SessionStore, StoreUpkeep } from '../log/session-store.ts';
import { pathOf } from '../store/session-files.ts';
import { STORE, STORE_OPTIONS, type StoreOptions, usingStore } from '../store/using-store.ts';

/** Options of `backupStore`. */
export interface BackupOptions extends StoreOptions, BackupSettings {
  /** The path of the copy, a file or, for a store that is a directory, a directory; its parent directory must exist. */
  readonly to: string;
}

const BACKUP: OptionRules<BackupOptions> = {
  store: STORE,
  to: is.required(pathOf('a copy')),
  overwrite: is.flag,
  signal: is.abortSignal,
};

/**
 * Copies a store while sessions run in it, as it is at one moment (each session at its own, if each has a file): everything acknowledged
 * before. The copy gets the name `to` once it is complete and on disk, opens with `sqliteStore({ path: to })` (or `{ directory: to }`), and
 * none of its sessions is being run. Leaves nothing behind on failure. @throws ValidationError when `to` exists, and for a store that
 * cannot be copied; AbortError, AgentError `STORE_FAILED`
 */
export async function backupStore(options: BackupOptions): Promise<void> {
  checkOptions('The options', options, BACKUP);
  const { to, overwrite = false, signal } = options;
  await usingStore(options, (store) => upkeepOf(store).backup(to, { overwrite, ...(signal ? { signal } : {}) }));
}

/**
 * Returns the space of removed sessions to the system: the file becomes smaller, and nothing that was removed can be found in it. Needs
 * free space of twice the file's size, and nobody can write until it is done. If each session has a file, those that are run are left as
 * they are. Resolves with the bytes before and after.
 * @throws SessionError `SESSION_BUSY` naming a session that is being run; ValidationError for a store that cannot be compacted, AgentError
 * `STORE_FAILED`
 */
export async function compactStore(options: StoreOptions = {}): Promise<CompactedStore> {
  checkOptions('The options', options, STORE_OPTIONS);
  return await usingStore(options, (store) => upkeepOf(store).compact());
}

function upkeepOf({ upkeep }: SessionStore): StoreUpkeep {
  if (upkeep) return upkeep;
  throw new ValidationError(
    'This store has no file of its own to copy or compact; use the means of the place where it keeps its sessions',
    'store',
  );
}
