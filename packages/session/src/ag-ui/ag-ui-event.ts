/** An event that is made here, of the AG-UI protocol (version 1.0, docs.ag-ui.com); `subagentRunId` on what a subagent does. */
export type AGUIEvent = { readonly subagentRunId?: string; readonly timestamp?: number } & (
  | { type: 'RUN_STARTED'; threadId: string; runId: string }
  | { type: 'MESSAGES_SNAPSHOT'; messages: AGUIMessage[] }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' | 'user' }
  | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'CUSTOM'; name: 'tool_progress' | 'notification' | 'service_tool' | 'image'; value: object }
  | { type: 'SUBAGENT_STARTED'; name: string; parentToolCallId: string; parentSubagentRunId?: string }
  | { type: 'SUBAGENT_FINISHED'; outcome: { type: 'success' | 'suspended' } }
  | {
      type: 'RUN_FINISHED';
      threadId: string;
      runId: string;
      outcome: AGUIOutcome;
      result?: object;
      usage?: AGUIUsage[];
    }
  | { type: 'RUN_ERROR'; message: string; code?: string; usage?: AGUIUsage[] }
);
/** A message of the history that a page starts with. */
export type AGUIMessage =
  | { id: string; role: 'user'; content: string }
  | { id: string; role: 'assistant'; content: string; toolCalls?: AGUICall[] }
  | { id: string; role: 'tool'; content: string; toolCallId: string };
interface AGUICall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
type AGUIOutcome = { type: 'success' | 'cancelled' } | { type: 'interrupt'; interrupts: AGUIInterrupt[] };
/** One open question; `id` is what an answer names, `responseSchema` what it may say. */
export interface AGUIInterrupt {
  readonly id: string;
  readonly reason: 'tool_call' | 'input_required';
  readonly message: string;
  readonly toolCallId: string;
  readonly responseSchema: Record<string, unknown>;
  readonly expiresAt?: string;
  readonly subagentRunId?: string;
  readonly metadata: Record<string, unknown>;
}
/** Tokens of a run. */
export interface AGUIUsage {
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}
