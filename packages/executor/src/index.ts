export { type AgentDefinition } from './agent-definition.ts';
export {
  type ChatModelAgent,
  type ChatModelAgentResult,
  type ChatRunOptions,
  createChatModelAgent,
} from './chat-model-agent.ts';
export type { ChatModelAgentOptions } from './chat-model-agent-options.ts';
export { type MemoryJournal, memoryJournal } from './memory-journal.ts';
export { runAgent } from './run-agent.ts';
export { type LiveRun, liveRun } from './run-context.ts';
export type { InterruptedCall, Reconcile, RunOptions, RunResult } from './run-options.ts';
export { type SubagentToolOptions, subagentTool } from './subagent-tool.ts';
export type { ExecutionContext } from './tool-executor/executable.ts';
export type { ExecutionLimits, ExecutionOptions, ToolExecutorOptions } from './tool-executor/execution-options.ts';
export { ToolExecutor } from './tool-executor/tool-executor.ts';
