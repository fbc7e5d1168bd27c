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
export { createSession, resumeSession } from './create-session.ts';
export type { EntryBody, RunSubtype, SessionEntry } from './log/entry.ts';
export type {
  ExpectedHead,
  InboxItem,
  Lease,
  SessionPage,
  SessionStore,
  SessionSummary,
  Snapshot,
} from './log/session-store.ts';
export { prompt } from './prompt.ts';
export { memoryStore } from './store/memory-store.ts';
export { type SqliteStoreOptions, sqliteStore } from './store/sqlite-store.ts';
export type {
  CustomProvider,
  FallbackModel,
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
export {
  type ModelUsage,
  type SessionUsage,
  type SessionUsageOptions,
  sessionUsage,
  type UsageCost,
  type UsageEntry,
  type UsageTotal,
} from './usage.ts';
