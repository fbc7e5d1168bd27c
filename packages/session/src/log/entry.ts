import type { RunRecord, TokenUsage } from '@x/core';
import type { FailureFacts } from '@x/core/internal';

/** The format of the entries this version writes and reads. */
export const LOG_FORMAT = 1;

/** One fact of a session. Entries are never changed and never removed, short of removing the session. */
export interface SessionEntry {
  /** 1, 2, 3, ... without gaps. */
  readonly seq: number;
  /** ISO 8601, by the store's clock. For people; nothing is ordered by it. */
  readonly at: string;
  /** The epoch of the owner that wrote it. */
  readonly epoch: number;
  readonly body: EntryBody;
}
/** How a run ended. */
export type RunSubtype = 'success' | 'error' | 'max_turns' | 'aborted';
/** What one entry of a log says. */
export type EntryBody =
  | {
      readonly type: 'session_created';
      readonly format: typeof LOG_FORMAT;
      readonly cwd: string;
      readonly forkedFrom?: { readonly sessionId: string; readonly seq: number };
    }
  | {
      readonly type: 'run_started';
      readonly runId: string;
      readonly messageId: string;
      readonly model: string;
      /** The limit that a message has asked for; absent, the session's holds. */
      readonly maxTurns?: number;
    }
  /** Another owner goes on with the run that the one before has left open. */
  | { readonly type: 'run_resumed'; readonly runId: string }
  /** The owner stops here in good order, so that another one goes on: its process has not crashed. */
  | { readonly type: 'run_left'; readonly runId: string }
  /** What the run wrote. `scope`: the call ids of the subagents around it, outermost first; empty for the session's own agent. */
  | { readonly type: 'record'; readonly scope: readonly string[]; readonly record: RunRecord }
  | {
      readonly type: 'run_ended';
      readonly runId: string;
      readonly subtype: RunSubtype;
      readonly usage: TokenUsage;
      readonly error?: { readonly code: string; readonly message: string } & Readonly<Partial<FailureFacts>>;
    }
  | { readonly type: 'title'; readonly title: string }
  /** What the host has noted about the session; replaces all that was noted before. */
  | { readonly type: 'metadata'; readonly metadata: Readonly<Record<string, string>> }
  /** All the rules that the host has allowed while the session lasts; replaces those before. */
  | { readonly type: 'rules_allowed'; readonly rules: readonly string[] }
  /** What follows is in this format: the first owner of a newer version goes on with an older log. */
  | { readonly type: 'format_raised'; readonly format: number }
  /** Stands for a body over 256 KB of JSON: its bytes are stored with `putBlob`, before this is appended. */
  | { readonly type: 'blob'; readonly of: string; readonly sha256: string };
