export type { CompactionOutcome } from './compaction/compact.ts';
export type { CompactionAttempt, CompactionHook } from './compaction/compaction-options.ts';
export { type CompactionWish, type ContextStatus } from './compaction/compaction-request.ts';
export { estimateText, estimateTool } from './compaction/estimate-tokens.ts';
export { type CutOptions, type CutPlan, planCut } from './compaction/plan-cut.ts';
export { checkHooks, checkMatchers, type MatchedValues } from './hooks/check-hooks.ts';
export { type CompactionFacts, createHooks, type Hooks, type SessionHookContext } from './hooks/create-hooks.ts';
export type { HookOptions } from './hooks/hook-set.ts';
export { matcherTest } from './hooks/match.ts';
export type { HookPermission } from './hooks/tool-hooks.ts';
export type {
  GeneralHookOutput,
  HookBehavior,
  HookDecision,
  HookEffects,
  HookFacts,
  HookInputBase,
  SimpleHookOutput,
} from './hooks/types.ts';
export { type FallbackModelHandler } from './model-retry/fallback-model-handler.ts';
export type { OutputSchema } from './output-format/output-format.ts';
export type { OutputIssue } from './output-format/validate-output.ts';
export { ownHandler } from './own-handler.ts';
export { admitServiceTools, ruleAgainstService } from './permissions/admit-service-tools.ts';
export { closedPaths } from './permissions/closed-paths.ts';
export { checkMode } from './permissions/permission-handler.ts';
export { type AnswerNote, askAndWait, isAnswerTo, keyOfCall, questionState } from './permissions/question-note.ts';
export { checkRule, type ParseRuleOptions, parseRule } from './permissions/rule.ts';
export { SERVICE } from './permissions/service-rule.ts';
export type {
  AskPort,
  Decision,
  PermissionAnswer,
  PermissionStep,
  Recheck,
  Sandboxed,
  SandboxStanding,
} from './permissions/types.ts';
export type { RunNote } from './run-note.ts';
export { type StandardHandlers } from './standard/standard-handlers.ts';
export type { UsageFacts } from './telemetry/attributes.ts';
export { type OpenTelemetryOptions, type TracerProviderLike } from './telemetry/open-telemetry-tracer.ts';
export type { SpanAttributes, SpanLike, SpanStart } from './telemetry/tracer-like.ts';
export { checkToolNames, type KnownTools, namesTool, splitToolRules, toolNameOf } from './tool-names.ts';
export { type ToolNames, toolNamesHandler } from './tool-names-handler.ts';
export { type WithToolsOptions } from './with.ts';
