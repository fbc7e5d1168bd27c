import type { Role } from './role.ts';

/** Keeps roles. `roleStoreContract` of `@x/tool-groups/testing` holds what every store promises. */
export interface RoleStore {
  /** All roles, by `createdAt`, then by id. */
  list(): Promise<readonly Role[]>;
  /** Inserts the role, or replaces the one of its id; durable when resolved. @throws ValidationError for what is no role */
  save(role: Role): Promise<void>;
  /** False when there is none of that id. */
  delete(id: string): Promise<boolean>;
  /** Ends what is under way; what is called later rejects with the code `ROLE_STORE_CLOSED`. */
  close(): Promise<void>;
}
