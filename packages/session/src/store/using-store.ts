import { ValidationError } from '@x/core';
import { checkKeys } from '../host/check-keys.ts';
import { defaultStorePath } from '../host/home.ts';
import type { SessionStore } from '../log/session-store.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Which store sessions are in. */
export interface StoreOptions {
  /** Default: SQLite at `${AGENT_SDK_HOME:-~/.agent-sdk}/sessions.db`, opened and closed by the call. A store given here is the host's to close. */
  readonly store?: SessionStore;
}

/** The host's store, or the default one, which is closed with what this returns. */
export function usedStore({ store }: StoreOptions): AsyncDisposable & { readonly store: SessionStore } {
  const used = store ?? sqliteStore({ path: defaultStorePath() });
  return {
    store: used,
    async [Symbol.asyncDispose]() {
      if (!store) await used[Symbol.asyncDispose]();
    },
  };
}

/** Works with the host's store, or with the default one, which is closed afterwards. */
export async function usingStore<T>(options: StoreOptions, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const used = usedStore(options);
  try {
    return await work(used.store);
  } finally {
    await used[Symbol.asyncDispose]();
  }
}

/** @throws ValidationError for an option that is not among the known ones */
export function checkStoreOptions(options: unknown, known: readonly string[]): asserts options is StoreOptions {
  checkKeys(options, known);
  checkStore((options as StoreOptions).store);
}

/** @throws ValidationError for what is given and is no store */
export function checkStore(store: SessionStore | undefined): void {
  if (store === undefined || typeof store?.append === 'function') return;
  throw new ValidationError('store must be a SessionStore, such as sqliteStore({ path }) or memoryStore()', 'store');
}
