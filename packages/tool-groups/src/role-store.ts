import type { Role } from './role.ts';

/** Keeps roles. `roleStoreContract` of `@x/tool-groups/testing` checks the promises of every store. */
export interface RoleStore {
  /** All roles, by `createdAt`, then by id. */
  list(): Promise<readonly Role[]>;
  /** Inserts the role, or replaces the one of its id; durable when resolved. @throws ValidationError for an invalid role */
  save(role: Role): Promise<void>;
  /** False for an unknown id. */
  delete(id: string): Promise<boolean>;
  /** Waits for pending calls; later ones reject with the code `ROLE_STORE_CLOSED`. */
  close(): Promise<void>;
}
