import type { CommandsFound } from './interrupted-calls.ts';
import type { AssistantMessage, Message, UserMessage } from './message.ts';
import type { ToolEffect, ToolResult } from './tool-result.ts';

/** What must survive the process. The journal is the only way into the log. */
export type RunRecord =
  | { readonly type: 'message'; readonly message: UserMessage | AssistantMessage }
  | {
      readonly type: 'tool_started';
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      readonly effect: ToolEffect;
      readonly idempotencyKey: string;
      /** In the commands of the call: by it a workspace finds them again (`Workspace.commands`). */
      readonly mark?: string;
    }
  | {
      readonly type: 'tool_finished';
      readonly callId: string;
      readonly result: Omit<ToolResult, 'data'>;
      readonly durationMs: number;
    }
  /**
   * Older messages were replaced by a user message with this id, time (ISO 8601) and `summary` as its text. `keptFrom`: the first
   * message kept; `pinned`: ids of earlier ones kept too; `tokensBefore`: about how many the history had.
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
  /** What a handler or a tool wants to find again after a restart; plain JSON data. A note named `<x>:<callId>` goes when the reply of that call is answered. */
  | { readonly type: 'note'; readonly name: string; readonly data: unknown };
/** What an interrupted attempt has left of a call. */
export type CallState =
  /**
   * `attempts`: executions that have begun in processes which then ended in the middle of it; absent where nobody counts. `commands`: what
   * was found of its commands before the run went on; absent where nobody has looked.
   */
  | {
      readonly state: 'started';
      readonly effect: ToolEffect;
      readonly attempts?: number;
      readonly commands?: CommandsFound;
    }
  | { readonly state: 'finished'; readonly result: ToolResult };
/** Where one run writes what must survive it, and finds what an interrupted attempt at it has left. */
export interface Journal {
  /**
   * Resolves when the records are durable. @throws SessionError when another owner has taken the session, ValidationError for a note
   * that JSON cannot carry
   */
  write(...records: readonly RunRecord[]): Promise<void>;
  readonly past: {
    readonly messages: readonly Message[];
    /** Turns this run has already used. */
    readonly turns: number;
    /** Of a call of the last reply, when that reply has not been answered in full. */
    call(callId: string): CallState | undefined;
    /** What the last `note` record of that name in this scope holds. */
    note(name: string): unknown;
  };
  /** The id itself, or a fresh one when the session has used it before: keys and results hang on it. */
  claimCallId(id: string): string;
  /** The journal of the run that call `callId` starts; the same log, one scope deeper. */
  child(callId: string): Journal;
}
