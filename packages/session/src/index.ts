export type { AgentDefinition } from '@x/executor';
export type {
  CanUseTool,
  CanUseToolOptions,
  CommandHook,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookEvent,
  HookInput,
  HookOutput,
  OutputFormat,
  OutputSchema,
  PermissionMode,
  PermissionResult,
} from '@x/handlers';
export type { SlashCommand } from './commands/slash-command.ts';
export { createSession, resumeSession } from './create-session.ts';
export { deleteSession } from './delete-session.ts';
export { type Diagnosis, type DiagnosisCheck, formatDiagnosis } from './diagnose/diagnosis.ts';
export { type DiagnoseOptions, diagnose } from './diagnose.ts';
export { type LocalEngineOptions, localEngine } from './engine/local-engine.ts';
export type { RunEngine, SessionWork } from './engine/run-engine.ts';
export { type ServedOptions, type ServeSessionsOptions, serveSessions } from './engine/serve-sessions.ts';
export { exportSession } from './export-session.ts';
export { forkSession } from './fork-session.ts';
export { type ImportOptions, importSession } from './import-session.ts';
export { type ListOptions, listSessions } from './list-sessions.ts';
export type { EntryBody, RunSubtype, SessionEntry } from './log/entry.ts';
export type {
  BackupSettings,
  CompactedStore,
  EntryRange,
  ExpectedHead,
  ImmediateReads,
  InboxItem,
  Lease,
  SessionCommand,
  SessionPage,
  SessionQuery,
  SessionStore,
  SessionSummary,
  Snapshot,
  StoreUpkeep,
} from './log/session-store.ts';
export { createOrganization } from './organization/create-organization.ts';
export type { OrganizationAgent, SessionOrganization } from './organization/open-organization.ts';
export type { AgentSessionOptions, ModelChoice, OrganizationOptions } from './organization/organization-options.ts';
export { prompt } from './prompt.ts';
export { type LeftReason, type PrunedSessions, type PruneOptions, pruneSessions } from './prune-sessions.ts';
export type { LiveToolGroups, NamedToolGroups, ToolGroups } from './role-access.ts';
export { memoryStore } from './store/memory-store.ts';
export { type SqliteStoreOptions, sqliteStore } from './store/sqlite-store.ts';
export type {
  CustomProvider,
  FallbackModel,
  ForkOptions,
  ForkSessionOptions,
  ISession,
  PromptResult,
  ResumeOptions,
  SendOptions,
  SendOutcome,
  SessionOptions,
  StreamOptions,
  StructuredOptions,
  StructuredResult,
  ToolCallRecord,
} from './types.ts';
export { type BackupOptions, backupStore, compactStore } from './upkeep.ts';
export {
  type ModelUsage,
  type SessionUsage,
  type SessionUsageOptions,
  sessionUsage,
  type UsageCost,
  type UsageEntry,
  type UsageTotal,
} from './usage.ts';
export type { StoreOptions } from './using-store.ts';
