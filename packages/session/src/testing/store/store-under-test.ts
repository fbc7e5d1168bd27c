import type { SessionStore } from '../../log/session-store.ts';

/** A fresh, empty store for one case. The contract disposes of it. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /**
   * Another store on the same sessions, as a second process or a later one has it; the contract disposes of it. Absent only for a
   * store whose sessions end with it.
   */
  readonly reopen?: () => SessionStore | Promise<SessionStore>;
  /** Called when the case is over and its stores are closed, whatever came of it. */
  dispose?(): void | Promise<void>;
}
