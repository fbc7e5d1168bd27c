import type { RunRecord, TokenUsage } from '@x/core';
import type { FailureFacts } from '@x/core/internal';
import type { McpPin } from '@x/mcp';

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
/** The way a run ended. */
export type RunSubtype = 'success' | 'error' | 'max_turns' | 'aborted';
/** The content of one entry of a log. */
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
      /** The limit that a message has asked for; absent: that of the session. */
      readonly maxTurns?: number;
    }
  /** Another owner continues a run that the one before has left open. */
  | { readonly type: 'run_resumed'; readonly runId: string }
  /**
   * The owner stops here in good order, for another to continue: its process has not crashed. `waits`: the run has nothing to do until a
   * question is answered; `until`, in milliseconds since 1970, is when the first of them expires.
   */
  | { readonly type: 'run_left'; readonly runId: string; readonly waits?: { readonly until?: number } }
  /** A record of the run. `scope`: the call ids of the subagents around it, outermost first; empty for the session's own agent. */
  | { readonly type: 'record'; readonly scope: readonly string[]; readonly record: RunRecord }
  | {
      readonly type: 'run_ended';
      readonly runId: string;
      readonly subtype: RunSubtype;
      readonly usage: TokenUsage;
      /** Milliseconds that the process which has ended it worked on it. */
      readonly durationMs?: number;
      /** US dollars, where known. */
      readonly cost?: number;
      /** The answer, where it is not the text of the last reply. */
      readonly content?: string;
      /** The value that was made of the answer, where JSON says it exactly. */
      readonly structured?: unknown;
      readonly error?: { readonly code: string; readonly message: string } & Readonly<Partial<FailureFacts>>;
    }
  | { readonly type: 'title'; readonly title: string }
  /** Notes of the host about the session; replaces all earlier ones. */
  | { readonly type: 'metadata'; readonly metadata: Readonly<Record<string, string>> }
  /** All rules that the host has allowed for the session; replaces earlier ones. */
  | { readonly type: 'rules_allowed'; readonly rules: readonly string[] }
  /** Files were taken back to what they were at a message, or before another rewind. The counts are of files. */
  | {
      readonly type: 'files_rewound';
      readonly messageId: string;
      readonly rewindId: string;
      readonly restored: number;
      readonly deleted: number;
      readonly conflicts: number;
    }
  /**
   * The session's own agent goes on as before the user message `messageId`: with the first `kept` messages of its conversation, and with
   * those that the records of `restored` make, which a compaction or an earlier rewind had taken out of it.
   */
  | {
      readonly type: 'conversation_rewound';
      readonly messageId: string;
      readonly kept: number;
      readonly restored?: readonly RunRecord[];
    }
  /** Definitions of MCP tools, as they were seen first or approved; a later one of the same tool replaces it. */
  | { readonly type: 'mcp_pins'; readonly pins: readonly McpPin[] }
  /** The entries after it are in this format: the first owner of a newer version continues an older log. */
  | { readonly type: 'format_raised'; readonly format: number }
  /** Stands for a body over 256 KB of JSON: its bytes are stored with `putBlob`, before this is appended. */
  | { readonly type: 'blob'; readonly of: string; readonly sha256: string };
