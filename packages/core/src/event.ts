import type { FailureFacts } from './failure-facts.ts';
import type { AssistantMessage, Message, ServiceToolStep, TokenUsage } from './message.ts';
import type { PartFacts } from './message-parts.ts';
import type { Question, QuestionFacts } from './question.ts';

/** A model call is about to be made. */
export interface TurnStartMessage {
  type: 'turn_start';
  /** From 1 in each run. */
  turn: number;
  sessionId: string;
  messageId: string;
}
/** A user message was delivered into the run; its id is the one `send` returned. */
export interface UserMessageMessage {
  type: 'user_message';
  messageId: string;
  /** The text of the message. */
  content: string;
  /** Its pictures, files and links, without their bytes; absent when it is only text. */
  parts?: readonly PartFacts[];
}
/** The model call and the tool calls it requested are done. */
export interface TurnEndMessage {
  type: 'turn_end';
  turn: number;
}
/** A piece of the reply's text; the joined pieces are the text. */
export interface ContentMessage {
  type: 'content';
  delta: string;
}
/** A piece of the model's thinking, if the model shows it. */
export interface ThinkingMessage {
  type: 'thinking';
  delta: string;
}
/** The model requests a tool; one `tool_result` of the same id follows. */
export interface ToolUseMessage {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}
/** The one answer to a call. */
export interface ToolResultMessage {
  type: 'tool_result';
  id: string;
  name: string;
  output: string;
  isError?: boolean;
  /** Milliseconds from its turn to its result, the wait for a permission included; in events of a followed session. */
  durationMs?: number;
}
/** The tokens of one model call. */
export interface UsageMessage {
  type: 'usage';
  usage: TokenUsage;
  /** The model of the reply. */
  model?: string;
  /** The stop reason of the reply; absent for a call that made none. */
  stopReason?: AssistantMessage['stopReason'];
  /** US dollars; absent when the price of the model is not known. */
  cost?: number;
  /** Milliseconds from the request to the end of the reply, retries included. */
  durationMs?: number;
  /** Turns of the run so far, this one included. */
  turns?: number;
}
/**
 * The end of a run: exactly one a run, and its last event. Has the facts of a failure when `subtype` is `error`; with `waiting` the run goes on
 * when its questions are answered.
 */
export type ResultMessage = Partial<FailureFacts> & {
  type: 'result';
  /** Of the message that the run was begun with. */
  messageId: string;
  /** Of all calls of the run, subagents included. */
  usage: TokenUsage;
  /** The last reply's text, or the output of the call that ended the run. */
  content?: string;
  /** The value that was made of the answer, with an output format. */
  structured?: unknown;
  /** The model of the last reply. */
  model?: string;
  /** The stop reason of the last reply. */
  stopReason?: AssistantMessage['stopReason'];
  /** US dollars of all calls of the run, subagents and those of processes before included; absent when the price of one is not known. */
  cost?: number;
  /** Milliseconds that this process has worked on the run. */
  durationMs?: number;
  /** Replies of the agent's own model, without those of subagents. */
  turns?: number;
} & (
    | { subtype: 'success' | 'max_turns' | 'aborted'; error?: never; questions?: never }
    | { subtype: 'error'; error: string; questions?: never }
    | { subtype: 'waiting'; questions: readonly Question[]; error?: never }
  );
/** The error that made the run fail; the `result` follows. */
export interface ErrorMessage extends Partial<FailureFacts> {
  type: 'error';
  message: string;
}

/** Events of `session.stream()`. */
export type StreamMessage =
  /** A picture of a reply, in base64, once the reply is complete; its `message` has the same. */
  | { type: 'image'; mediaType: string; data: string }
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
  /** A run begins, or is continued. Only while somebody follows the session, like all events that are not needed by a run itself. */
  | { type: 'session_started'; tools: readonly string[]; model: string; permissionMode: string; cwd: string }
  /** The model begins a reply; the `message` will have this id. Only while somebody follows the session. */
  | { type: 'reply_started'; id: string }
  /** The model begins the input of a call. Only while somebody follows the session, and from models that tell it. */
  | { type: 'tool_input_start'; id: string; name: string }
  /** A piece of the JSON of that input. */
  | { type: 'tool_input_delta'; id: string; delta: string }
  /** A tool of the service was called, or has ended. Only while somebody follows the session; the `message` has the same steps. */
  | ({ type: 'service_tool' } & ServiceToolStep)
  | { type: 'message'; message: Message }
  | { type: 'tool_started'; id: string }
  /** Hooks are about to be asked about a call; the reader has its `tool_use`, and the reply is durable. */
  | { type: 'hook_started'; id: string; hook: 'PreToolUse' }
  | { type: 'tool_progress'; id: string; delta: string }
  | {
      type: 'permission';
      id: string;
      decision: 'allow' | 'deny' | 'ask';
      step: string;
      reason: string;
      matchedRule?: string;
      /** True when `canUseTool` ends the run with this refusal. */
      interrupt?: true;
      /** The judged input, if a hook, a handler or `canUseTool` has changed the model's. */
      input?: unknown;
    }
  /** A call waits for the answer of a person. */
  | ({ type: 'question'; id: string } & QuestionFacts)
  | {
      type: 'compaction';
      id: string;
      summary: string;
      keptFrom: string;
      pinned?: readonly string[];
      tokensBefore: number;
    }
  | { type: 'violation'; id: string; kind: 'file' | 'network'; detail: string }
  /**
   * A notice for the host; `kind` is for programs, such as `fallback_model`. `data` of `model_retry`: `attempt` (the next, from 2),
   * `maxAttempts`, `waitMs`, and `code` and `status` of the failure; of `fallback_model`: `from` and `to`, names of models.
   */
  | { type: 'notification'; kind: string; message: string; data?: Readonly<Record<string, string | number>> }
  | { type: 'subagent'; callId: string; agentName: string; event: AgentEvent };

/** All events of a run, for readers and for observers. */
export type AgentEvent = StreamMessage | InternalEvent;
