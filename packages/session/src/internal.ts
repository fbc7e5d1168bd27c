export { type ServedOptions } from './engine/serve-sessions.ts';
export type { RunSubtype } from './log/entry.ts';
export { type UsageCost, type UsageEntry, type UsageTotal } from './log/usage.ts';
export type { LiveToolGroups, NamedToolGroups, ToolGroups } from './options/role-access.ts';
export type { StructuredOptions, StructuredResult } from './options/types.ts';
export type { AgentSessionOptions, ModelChoice } from './organization/organization-options.ts';
export type { StoreOptions } from './store/using-store.ts';
export type { LeftReason } from './upkeep/prune-sessions.ts';
