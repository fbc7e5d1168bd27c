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
  PermissionMode,
  PermissionResult,
} from '@x/handlers';
export type { SlashCommand } from './commands/slash-command.ts';
export { createSession, resumeSession } from './create-session.ts';
export { type DiagnoseOptions, diagnose } from './diagnose/diagnose.ts';
export { type Diagnosis, type DiagnosisCheck, formatDiagnosis } from './diagnose/diagnosis.ts';
export { type LocalEngineOptions, localEngine } from './engine/local-engine.ts';
export type { RunEngine } from './engine/run-engine.ts';
export { type ServeSessionsOptions, serveSessions } from './engine/serve-sessions.ts';
export type { SessionEvent } from './follow/session-event.ts';
export { type WatchOptions, watchSession } from './follow/watch-session.ts';
export { forkSession } from './fork-session.ts';
export type { EntryBody, SessionEntry } from './log/entry.ts';
export type { SessionPage, SessionStore, SessionSummary } from './log/session-store.ts';
export { type ModelUsage, type SessionUsage, sessionUsage } from './log/usage.ts';
export type { ISession } from './options/session-interface.ts';
export type { CustomProvider, FallbackModel } from './options/session-models.ts';
export type {
  ForkOptions,
  ForkSessionOptions,
  PromptResult,
  ResumeOptions,
  SendOptions,
  SendOutcome,
  SessionOptions,
  StreamOptions,
  ToolCallRecord,
} from './options/types.ts';
export type { UserContent } from './options/user-content.ts';
export { createOrganization } from './organization/create-organization.ts';
export type { OrganizationAgent, SessionOrganization } from './organization/open-organization.ts';
export type { OrganizationOptions } from './organization/organization-options.ts';
export { prompt } from './prompt.ts';
export { answerQuestion, type QuestionAnswer } from './questions/answer-question.ts';
export { type PendingQuestion, pendingQuestions } from './questions/pending-questions.ts';
export { memoryStore } from './store/memory-store.ts';
export { type SqliteStoreOptions, sqliteStore } from './store/sqlite-store.ts';
export { exportSession } from './transfer/export-session.ts';
export { type ImportOptions, importSession } from './transfer/import-session.ts';
export { type BackupOptions, backupStore, compactStore } from './upkeep/copies.ts';
export { deleteSession } from './upkeep/delete-session.ts';
export { type ListOptions, listSessions } from './upkeep/list-sessions.ts';
export { type PruneOptions, pruneSessions } from './upkeep/prune-sessions.ts';
