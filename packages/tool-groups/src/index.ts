export type { FunctionDefinition, GivenFunctionDefinition } from '@x/registry';
export type { AgentTreeLimits } from './agent-tree-limits.ts';
export { BUILTIN_TOOL_GROUPS, type BuiltinToolGroup, type BuiltinToolGroupId } from './builtin-tool-groups.ts';
export { checkRole } from './check-role.ts';
export { type FileRoleStoreOptions, fileRoleStore } from './file-role-store.ts';
export { memoryRoleStore } from './memory-role-store.ts';
export type { ModuleFault, ModuleReport, ModuleRuntime, ToolModule } from './module.ts';
export type { AgentInfo, NewAgent, NewMail, NewRole, NewSpawn, OrgActions } from './org-actions.ts';
export type { OrgAnswer } from './org-tools.ts';
export type { AgentMail, Organization, SpawnedAgent } from './organization.ts';
export { OrganizationError, type OrganizationErrorCode } from './organization-error.ts';
export type { NamedGroups } from './own-groups.ts';
export type { Role } from './role.ts';
export type { RoleChanges } from './role-book.ts';
export type { RoleStore } from './role-store.ts';
export { ROOT_AGENT_ID } from './root-agent.ts';
export { Runtime } from './runtime.ts';
export type { ConfiguredModule, RuntimeOptions } from './runtime-options.ts';
export { type ToolAccess, toolAccessHandler } from './tool-access-handler.ts';
export type { ToolCallContext } from './tool-call-context.ts';
export { notAvailableText, type ToolCallRefusal } from './tool-call-refusal.ts';
export type {
  ToolGroup,
  ToolGroupAnswer,
  ToolGroupDefinition,
  ToolGroupError,
  ToolGroupInfo,
  ToolGroupRegistrar,
  ToolWarning,
} from './tool-group.ts';
export { ToolGroupManager, type ToolGroupManagerOptions } from './tool-group-manager.ts';
