import type { RoleStore } from '../role-store.ts';

/** A store, and further needs of the cases. */
export interface RoleStoreUnderTest {
  /** Fresh and empty; the case closes it. */
  readonly store: RoleStore;
  /** Another store over the same roles, like that of a second process; the case closes it. Absent: nothing lasts. */
  open?(): RoleStore | Promise<RoleStore>;
  /** Called last. */
  dispose?(): void | Promise<void>;
}
