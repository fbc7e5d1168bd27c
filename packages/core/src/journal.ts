import type { CommandsFound } from './interrupted-calls.ts';
import type { AssistantMessage, Message, UserMessage } from './message.ts';
import type { ToolEffect, ToolResult } from './tool-result.ts';

/** Records that must survive the process. The journal is the only way into the log. */
export type RunRecord =
  | { readonly type: 'message'; readonly message: UserMessage | AssistantMessage }
  | {
      readonly type: 'tool_started';
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      readonly effect: ToolEffect;
      readonly idempotencyKey: string;
      /** Marks the commands of the call, so that a workspace finds them again (`Workspace.commands`). */
      readonly mark?: string;
    }
  | {
      readonly type: 'tool_finished';
      readonly callId: string;
      readonly result: Omit<ToolResult, 'data'>;
      readonly durationMs: number;
    }
  /**
   * Older messages were replaced by a user message with this id, time (ISO 8601) and `summary` as its text. `keptFrom`: the first message
   * kept; `pinned`: ids of earlier ones kept too; `tokensBefore`: the estimated tokens of the history.
   */
  | {
      readonly type: 'compaction';
      readonly id: string;
      readonly createdAt: string;
      readonly summary: string;
      readonly keptFrom: string;
      readonly pinned?: readonly string[];
      readonly tokensBefore: number;
    }
  /**
   * Data that a handler or a tool needs again after a restart; plain JSON. A note named `<x>:<callId>` is removed when the reply of that
   * call is answered.
   */
  | { readonly type: 'note'; readonly name: string; readonly data: unknown };
/** The state in which an interrupted attempt has left a call. */
export type CallState =
  /**
   * `attempts`: executions begun in processes which then ended during it; absent when not counted. `commands`: the state of its commands
   * before the run was continued; absent when not checked.
   */
  | {
      readonly state: 'started';
      readonly effect: ToolEffect;
      readonly attempts?: number;
      readonly commands?: CommandsFound;
    }
  | { readonly state: 'finished'; readonly result: ToolResult };
/** Stores the records of one run that must survive it, and finds the state of an interrupted attempt. */
export interface Journal {
  /**
   * Resolves when the records are durable. @throws SessionError when another owner has taken the session, ValidationError for a note that
   * JSON cannot represent
   */
  write(...records: readonly RunRecord[]): Promise<void>;
  readonly past: {
    readonly messages: readonly Message[];
    /** Turns this run has already used. */
    readonly turns: number;
    /** State of a call of the last reply, while that reply is not completely answered. */
    call(callId: string): CallState | undefined;
    /** The data of the last `note` record of that name in this scope. */
    note(name: string): unknown;
  };
  /** The id itself, or a fresh one when the session has used it before: keys and results depend on it. */
  claimCallId(id: string): string;
  /** The journal of the run that call `callId` starts; the same log, one scope deeper. */
  child(callId: string): Journal;
}
