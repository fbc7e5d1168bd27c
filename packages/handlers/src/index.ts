export { BaseAgentHandler } from './base-agent-handler.ts';
export type { CompactionOutcome } from './compaction/compact.ts';
export { compactNow } from './compaction/compact-now.ts';
export { compactionHandler } from './compaction/compaction-handler.ts';
export type { CompactionAttempt, CompactionHook, CompactionOptions } from './compaction/compaction-options.ts';
export {
  type CompactionWish,
  type ContextStatus,
  contextStatus,
  requestCompaction,
} from './compaction/compaction-request.ts';
export { type CutOptions, type CutPlan, planCut } from './compaction/plan-cut.ts';
export { checkHooks, checkMatchers, type MatchedValues } from './hooks/check-hooks.ts';
export { type CompactionFacts, createHooks, type Hooks, type SessionHookContext } from './hooks/create-hooks.ts';
export type { HookOptions } from './hooks/hook-set.ts';
export type { HookPermission } from './hooks/tool-hooks.ts';
export type {
  CommandHook,
  GeneralHookOutput,
  HookBehavior,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookDecision,
  HookEffects,
  HookEvent,
  HookFacts,
  HookInput,
  HookInputBase,
  HookOutput,
  SimpleHookOutput,
} from './hooks/types.ts';
export {
  type AgentMiddleware,
  type ChatModelAgentState,
  fromMiddleware,
  type InvokableToolEndpoint,
  type ToolMiddleware,
} from './middleware.ts';
export {
  type FallbackModelHandler,
  type FallbackModelOptions,
  fallbackModelHandler,
} from './model-retry/fallback-model-handler.ts';
export { modelRetryHandler } from './model-retry/model-retry-handler.ts';
export { type RetryBudget, retryBudget } from './model-retry/retry-budget.ts';
export type { ModelRetryOptions } from './model-retry/retry-model-call.ts';
export type { OutputFormat, OutputSchema } from './output-format/output-format.ts';
export { outputFormatHandler } from './output-format/output-format-handler.ts';
export type { OutputIssue } from './output-format/validate-output.ts';
export { checkMode } from './permissions/check-mode.ts';
export type { SandboxStanding } from './permissions/judge-call.ts';
export { type PermissionHandlerOptions, permissionHandler } from './permissions/permission-handler.ts';
export { checkRule, type ParseRuleOptions, type PermissionRule, parseRule, parseRules } from './permissions/rule.ts';
export type {
  AskPort,
  CanUseTool,
  CanUseToolOptions,
  Decision,
  PermissionAnswer,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
  PermissionResult,
  PermissionStep,
  Recheck,
} from './permissions/types.ts';
export { Pipeline } from './pipeline.ts';
export { type RunNote, runNote } from './run-note.ts';
export { type StandardHandlers, type StandardHandlersOptions, standardHandlers } from './standard/standard-handlers.ts';
export type { UsageFacts } from './telemetry/attributes.ts';
export {
  type OpenTelemetryOptions,
  openTelemetryTracer,
  type TracerProviderLike,
} from './telemetry/open-telemetry-tracer.ts';
export { type TelemetryOptions, telemetryHandler } from './telemetry/telemetry-handler.ts';
export type { SpanAttributes, SpanLike, SpanStart, TracerLike } from './telemetry/tracer-like.ts';
export { type ToolLoopOptions, toolLoopHandler } from './tool-loop-handler.ts';
export { checkToolNames, type KnownTools, splitToolRules } from './tool-names.ts';
export { type ToolNames, toolNamesHandler } from './tool-names-handler.ts';
export {
  type WithToolsOptions,
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInstruction,
  withInstructionFunc,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
  withTools,
  withToolsFunc,
} from './with.ts';
