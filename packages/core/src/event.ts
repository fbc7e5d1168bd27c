import type { Message, TokenUsage } from './message.ts';

export interface TurnStartMessage {
  type: 'turn_start';
  /** From 1 in each run. */
  turn: number;
  sessionId: string;
  messageId: string;
}
export interface UserMessageMessage {
  type: 'user_message';
  messageId: string;
  content: string;
}
export interface TurnEndMessage {
  type: 'turn_end';
  turn: number;
}
export interface ContentMessage {
  type: 'content';
  delta: string;
}
export interface ThinkingMessage {
  type: 'thinking';
  delta: string;
}
export interface ToolUseMessage {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}
export interface ToolResultMessage {
  type: 'tool_result';
  id: string;
  name: string;
  output: string;
  isError?: boolean;
}
export interface UsageMessage {
  type: 'usage';
  usage: TokenUsage;
}
export interface ResultMessage {
  type: 'result';
  subtype: 'success' | 'error' | 'max_turns' | 'aborted';
  messageId: string;
  usage: TokenUsage;
  /** The last reply's text, or the output of the call that ended the run. */
  content?: string;
  structured?: unknown;
  error?: string;
}
export interface ErrorMessage {
  type: 'error';
  message: string;
  code?: string;
}

/** What `session.stream()` yields. */
export type StreamMessage =
  | TurnStartMessage
  | UserMessageMessage
  | TurnEndMessage
  | ContentMessage
  | ThinkingMessage
  | ToolUseMessage
  | ToolResultMessage
  | UsageMessage
  | ResultMessage
  | ErrorMessage;

/** Seen by observers; filtered out of `stream()`. Nothing durable depends on an event being read. */
export type InternalEvent =
  | { type: 'message'; message: Message }
  | { type: 'tool_started'; id: string }
  | { type: 'tool_progress'; id: string; delta: string }
  | {
      type: 'permission';
      id: string;
      decision: 'allow' | 'deny' | 'ask';
      step: string;
      reason: string;
      matchedRule?: string;
    }
  | { type: 'compaction'; summary: string; keptFrom: string; pinned?: readonly string[]; tokensBefore: number }
  | { type: 'violation'; id: string; kind: 'file' | 'network'; detail: string }
  | { type: 'notification'; message: string }
  | { type: 'subagent'; callId: string; agentName: string; event: AgentEvent };

export type AgentEvent = StreamMessage | InternalEvent;
