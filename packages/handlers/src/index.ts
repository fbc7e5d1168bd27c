export { BaseAgentHandler } from './base-agent-handler.ts';
export { compactNow } from './compaction/compact-now.ts';
export { compactionHandler } from './compaction/compaction-handler.ts';
export type { CompactionOptions } from './compaction/compaction-options.ts';
export { contextStatus, requestCompaction } from './compaction/compaction-request.ts';
export type {
  CommandHook,
  HookCallback,
  HookCallbackMatcher,
  HookConfig,
  HookEvent,
  HookInput,
  HookOutput,
} from './hooks/types.ts';
export {
  type AgentMiddleware,
  type ChatModelAgentState,
  fromMiddleware,
  type InvokableToolEndpoint,
  type ToolMiddleware,
} from './middleware.ts';
export { type FallbackModelOptions, fallbackModelHandler } from './model-retry/fallback-model-handler.ts';
export { modelRetryHandler } from './model-retry/model-retry-handler.ts';
export { type RetryBudget, retryBudget } from './model-retry/retry-budget.ts';
export type { ModelRetryOptions } from './model-retry/retry-model-call.ts';
export type { OutputFormat } from './output-format/output-format.ts';
export { outputFormatHandler } from './output-format/output-format-handler.ts';
export { type PermissionHandlerOptions, permissionHandler } from './permissions/permission-handler.ts';
export { type PermissionRule, parseRules } from './permissions/rule.ts';
export type {
  CanUseTool,
  CanUseToolOptions,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
  PermissionResult,
} from './permissions/types.ts';
export { Pipeline } from './pipeline.ts';
export { runNote } from './run-note.ts';
export { type StandardHandlersOptions, standardHandlers } from './standard/standard-handlers.ts';
export { openTelemetryTracer } from './telemetry/open-telemetry-tracer.ts';
export { type TelemetryOptions, telemetryHandler } from './telemetry/telemetry-handler.ts';
export type { TracerLike } from './telemetry/tracer-like.ts';
export { type ToolLoopOptions, toolLoopHandler } from './tool-loop-handler.ts';
export {
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
