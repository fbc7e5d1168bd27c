export { type Deadline, deadline } from '@x/core';
export { type AgentDefinition, checkAgents } from './agent-definition.ts';
export {
  type ChatModelAgent,
  type ChatModelAgentResult,
  type ChatRunOptions,
  type ChatStreamOptions,
  createChatModelAgent,
} from './chat-model-agent.ts';
export type { ChatModelAgentOptions } from './chat-model-agent-options.ts';
export { type ConcludedRun, concludeRun, type RunOutcome, type RunSummary } from './conclude-run.ts';
export { isStreamMessage } from './is-stream-message.ts';
export { type MemoryJournal, type MemoryJournalOptions, memoryJournal, type ScopedRecord } from './memory-journal.ts';
export { type OverlapOptions, overlap } from './overlap.ts';
export { runAgent } from './run-agent.ts';
export { type LiveRun, liveRun } from './run-context.ts';
export { runningModel } from './run-facts.ts';
export type { InterruptedCall, Reconcile, RunOptions, RunResult } from './run-options.ts';
export { type SubagentInput, type SubagentToolOptions, subagentTool } from './subagent-tool.ts';
export type { ExecutableFunction, ExecutionContext } from './tool-executor/executable.ts';
export type {
  BackoffKind,
  ExecutionLimits,
  ExecutionOptions,
  LimitPer,
  RateLimit,
  ToolExecutorOptions,
} from './tool-executor/execution-options.ts';
export type { LateSettlement } from './tool-executor/late-settlement.ts';
export { type InvokeOptions, ToolExecutor } from './tool-executor/tool-executor.ts';
export { MAX_OUTPUT_BYTES, truncateOutput } from './truncate-output.ts';
export { untilAborted } from './until-aborted.ts';
