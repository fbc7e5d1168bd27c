import { AgentError } from '@x/core';
import { checkRole, inOrder } from './check-role.ts';
import type { Role } from './role.ts';
import type { RoleStore } from './role-store.ts';

/** Keeps roles as long as the process lives. */
export function memoryRoleStore(): RoleStore {
  const roles = new Map<string, Role>();
  let closed = false;
  const checkOpen = () => {
    if (closed) throw new AgentError('The role store is closed; open another', { code: 'ROLE_STORE_CLOSED' });
  };
  return {
    async list() {
      checkOpen();
      return inOrder(roles.values());
    },
    async save(role) {
      checkOpen();
      const checked = checkRole(role);
      roles.set(checked.id, checked);
    },
    async delete(id) {
      checkOpen();
      return roles.delete(id);
    },
    async close() {
      closed = true;
    },
  };
}
