import type { OptionRule, OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { defaultStorePath } from '../host/home.ts';
import type { SessionStore } from '../log/session-store.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Selects the store. */
export interface StoreOptions {
  /**
   * Default: SQLite at `${AGENT_SDK_HOME:-~/.agent-sdk}/sessions.db`, opened and closed by the call. A store given here is closed by the
   * host.
   */
  readonly store?: SessionStore;
}

export const STORE: OptionRule = is.having('a SessionStore, such as sqliteStore({ path }) or memoryStore()', 'append');
export const STORE_OPTIONS: OptionRules<StoreOptions> = { store: STORE };

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
