import type { Role } from '../role.ts';
import type { RoleStoreUnderTest } from './role-store-under-test.ts';

/** A promise of a role store, and its check. */
export type RoleStoreCase = readonly [name: string, check: (under: RoleStoreUnderTest) => Promise<void>];

/** A role with these parts. */
export function roleWith(parts: Partial<Role> = {}): Role {
  return {
    id: 'role-1',
    name: 'developer',
    rolePrompt: 'You write programs.\n你是一个开发者。',
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active',
    llmServiceId: null,
    ...parts,
  };
}
