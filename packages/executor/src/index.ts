export { type AgentDefinition, checkAgents } from './agent-definition.ts';
export {
  type ChatModelAgent,
  type ChatModelAgentResult,
  type ChatRunOptions,
  type ChatStreamOptions,
  createChatModelAgent,
} from './chat-model-agent.ts';
export type { ChatModelAgentOptions } from './chat-model-agent-options.ts';
export { type Deadline, deadline } from './deadline.ts';
export { isStreamMessage } from './is-stream-message.ts';
export { type MemoryJournal, type MemoryJournalOptions, memoryJournal, type ScopedRecord } from './memory-journal.ts';
export { type OverlapOptions, overlap } from './overlap.ts';
export { runAgent } from './run-agent.ts';
export { type LiveRun, liveRun } from './run-context.ts';
export { runningModel } from './run-facts.ts';
export type { InterruptedCall, Reconcile, RunOptions, RunResult } from './run-options.ts';
export { type SubagentInput, type SubagentToolOptions, subagentTool } from './subagent-tool.ts';
export { MAX_OUTPUT_BYTES, truncateOutput } from './truncate-output.ts';
export { untilAborted } from './until-aborted.ts';
