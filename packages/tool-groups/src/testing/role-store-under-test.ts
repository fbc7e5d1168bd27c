import type { RoleStore } from '../role-store.ts';

/** A store, and what the cases need beside it. */
export interface RoleStoreUnderTest {
  /** Fresh and empty; the case closes it. */
  readonly store: RoleStore;
  /** Another store over the same roles, as a second process would have it; the case closes it. Absent: nothing lasts. */
  open?(): RoleStore | Promise<RoleStore>;
  /** Called last. */
  dispose?(): void | Promise<void>;
}
