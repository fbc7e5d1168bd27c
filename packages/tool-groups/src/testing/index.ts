export { type MemoryOrganization, type MemoryOrganizationOptions, memoryOrganization } from './memory-organization.ts';
export { type OrganizationContractOptions, organizationContract } from './organization-contract.ts';
export type { OrganizationUnderTest } from './organization-under-test.ts';
export { type RoleStoreContractOptions, roleStoreContract } from './role-store-contract.ts';
export type { RoleStoreUnderTest } from './role-store-under-test.ts';
