import type { AgentEvent } from '@x/core';

/** A run begins: with the message it answers, on a model. */
export interface RunStartedEvent {
  readonly type: 'run_started';
  readonly runId: string;
  readonly messageId: string;
  readonly model: string;
}
/** Another owner goes on with a run that the one before has left open. */
export interface RunResumedEvent {
  readonly type: 'run_resumed';
  readonly runId: string;
}
/** The run has nothing to do until one of its questions is answered; `until` (milliseconds since 1970): the first of them expires. */
export interface RunWaitingEvent {
  readonly type: 'run_waiting';
  readonly runId: string;
  readonly until?: number;
}
/** The text of a reply begins, or has come to its end; `id` is that of the `message` that follows. Live. */
export interface TextEvent {
  readonly type: 'text_start' | 'text_end';
  readonly id: string;
}
/** A call has been running for so long; told once a second. */
export interface ToolRunningEvent {
  readonly type: 'tool_running';
  readonly id: string;
  readonly seconds: number;
}
/** Files were taken back to what they were at a message, or before another rewind; the counts are of files. */
export interface RewoundEvent {
  readonly type: 'rewound';
  readonly messageId: string;
  readonly rewindId: string;
  readonly restored: number;
  readonly deleted: number;
  readonly conflicts: number;
}
/** The files as they were at this message can be had again. */
export interface CheckpointEvent {
  readonly type: 'checkpoint';
  readonly messageId: string;
}
/** The message, and all after it, is out of the conversation. */
export interface ConversationRewoundEvent {
  readonly type: 'conversation_rewound';
  readonly messageId: string;
}
/** An event of a followed session; those of subagents are not wrapped, their path is in the envelope. */
export type FollowedEvent =
  | Exclude<AgentEvent, { type: 'subagent' | 'reply_started' | 'tool_use' | 'image' }>
  | RunStartedEvent
  | RunResumedEvent
  | RunWaitingEvent
  | CheckpointEvent
  | RewoundEvent
  | ConversationRewoundEvent
  | TextEvent
  | ToolRunningEvent;
/** One event of a session, with everything that says where it belongs. */
export interface SessionEvent {
  /** Where to go on after this event: the `from` of a later reader, in any process. */
  readonly cursor: string;
  /** Milliseconds since 1970: when it was recorded, by the store's clock; of a live event when it happened. */
  readonly at: number;
  readonly sessionId: string;
  readonly runId?: string;
  /** Ids of the calls that have started the subagents around it, outermost first; empty for the session's own agent. */
  readonly agentPath: readonly string[];
  /** The message that the event tells, or that its run answers. */
  readonly messageId?: string;
  readonly callId?: string;
  readonly event: FollowedEvent;
}
