import type { SessionStore } from '../../log/session-store.ts';

/** A fresh, empty store for one case. The contract disposes of it. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /**
   * Another store on the same sessions, like that of a second process or a later one; the contract disposes of it. Absent only for a store
   * whose sessions end with it.
   */
  readonly reopen?: () => SessionStore | Promise<SessionStore>;
  /** Called when the case is over and its stores are closed, on failure too. */
  dispose?(): void | Promise<void>;
}
