import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { checkRole, inOrder } from './check-role.ts';
import type { NewRole } from './org-actions.ts';
import { OrganizationError } from './organization-error.ts';
import type { Role } from './role.ts';
import type { RoleStore } from './role-store.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';

/** Fields of a role that can be changed. Absent ones stay. */
export interface RoleChanges {
  readonly name?: string;
  readonly rolePrompt?: string;
  readonly status?: Role['status'];
  readonly llmServiceId?: string | null;
  /** Null removes it, so that the default of the runtime applies. */
  readonly toolGroups?: readonly string[] | null;
}

/** `checkRole` checks the resulting role. */
const NEW: OptionRules<NewRole> = {
  name: is.anything,
  rolePrompt: is.anything,
  toolGroups: is.anything,
  llmServiceId: is.anything,
  createdBy: is.anything,
};
const CHANGES: OptionRules<RoleChanges> = {
  name: is.anything,
  rolePrompt: is.anything,
  status: is.anything,
  llmServiceId: is.anything,
  toolGroups: is.anything,
};

/**
 * The roles of one runtime: read from the store once, answered from memory, every change saved before it takes effect. Changes are made one
 * after the other. Roles saved by another process are seen at the next `load`, and a changed role at its change.
 */
export class RoleBook {
  readonly #store: RoleStore;
  #roles: ReadonlyMap<string, Role> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: RoleStore) {
    this.#store = store;
  }

  load(): Promise<void> {
    return this.#inTurn(async () => {
      const roles = await this.#store.list();
      this.#roles = new Map(roles.map((role) => [role.id, checkRole(role)]));
    });
  }

  get(id: string): Role | undefined {
    return this.#roles.get(id);
  }

  /** The oldest active role of this name, else the oldest one. */
  findByName(name: string): Role | undefined {
    const named = this.list().filter((role) => role.name === name);
    return named.find(({ status }) => status === 'active') ?? named[0];
  }

  /** By `createdAt`, then by id. */
  list(): Role[] {
    return [...inOrder(this.#roles.values())];
  }

  /** @throws ValidationError naming the invalid field, OrganizationError `ROLE_EXISTS` when names must be unique */
  async create(given: NewRole, { isNameUnique = false }: { readonly isNameUnique?: boolean } = {}): Promise<Role> {
    checkOptions('A role', given, NEW);
    const { name, rolePrompt, toolGroups, llmServiceId = null, createdBy = ROOT_AGENT_ID } = given;
    const role = checkRole({
      id: crypto.randomUUID(),
      name,
      rolePrompt,
      createdBy,
      createdAt: new Date().toISOString(),
      status: 'active',
      llmServiceId,
      ...(toolGroups === undefined ? {} : { toolGroups }),
    });
    return await this.#inTurn(async () => {
      if (isNameUnique && this.findByName(role.name)) {
        throw new OrganizationError(`There is a role ${role.name} already`, { code: 'ROLE_EXISTS' });
      }
      return await this.#save(role);
    });
  }

  /** @throws OrganizationError `ROLE_NOT_FOUND`, ValidationError naming the invalid field */
  async update(id: string, changes: RoleChanges): Promise<Role> {
    checkOptions('Changes of a role', changes, CHANGES);
    return await this.#inTurn(async () => {
      const before = await this.#stored(id);
      const { toolGroups: groupsBefore, ...rest } = before;
      const { toolGroups = groupsBefore, ...others } = changes;
      const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
      return await this.#save(checkRole({ ...rest, ...given, ...(toolGroups ? { toolGroups } : {}) }));
    });
  }

  /** Deletes a role; false for an unknown one. Agents of the role can do nothing any more. */
  async delete(id: string): Promise<boolean> {
    return await this.#inTurn(async () => {
      // Removed from memory first: a role that is being deleted allows nothing.
      const was = this.#roles.has(id);
      this.#forget(id);
      return (await this.#store.delete(id)) || was;
    });
  }

  /** Reads the role again, which another process may have changed: groups that it removed must not come back with a change made here. */
  async #stored(id: string): Promise<Role> {
    if (!this.#roles.has(id)) throw roleNotFound(id);
    const found = (await this.#store.list()).find((role) => role.id === id);
    if (found) return checkRole(found);
    this.#forget(id);
    throw roleNotFound(id);
  }

  #forget(id: string): void {
    this.#roles = new Map([...this.#roles].filter(([known]) => known !== id));
  }

  async #save(role: Role): Promise<Role> {
    await this.#store.save(role);
    this.#roles = new Map(this.#roles).set(role.id, role);
    return role;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined); // its caller has it
    return turn;
  }
}

export function roleNotFound(id: string): OrganizationError {
  return new OrganizationError(`There is no role ${id}`, { code: 'ROLE_NOT_FOUND' });
}
