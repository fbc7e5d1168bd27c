import type { CheckpointStatistics, RewindOptions, RewindResult } from '@x/checkpoint';
import type { Message, StreamMessage } from '@x/core';
import type { PermissionMode } from '@x/handlers';
import type {
  McpCompletion,
  McpCompletionRequest,
  McpItem,
  McpResourceListener,
  McpServerStatus,
  McpToolInfo,
  McpWaitOptions,
} from '@x/mcp';
import type { ModelInfo } from '@x/models';
import type { SlashCommand } from '../commands/slash-command.ts';
import type { Diagnosis } from '../diagnose/diagnosis.ts';
import type { SessionEvent } from '../follow/session-event.ts';
import type { EventsOptions } from '../follow/watch-session.ts';
import type { SessionUsage } from '../log/usage.ts';
import type { QuestionAnswer } from '../questions/answer-question.ts';
import type {
  ForkSessionOptions,
  SendOptions,
  SendOutcome,
  SessionRewindOptions,
  SessionRewindResult,
  StreamOptions,
} from './types.ts';
import type { UserContent } from './user-content.ts';

/** A durable conversation. Closed by whoever created it. */
export interface ISession extends AsyncDisposable {
  readonly sessionId: string;
  /**
   * The conversation so far, in log order; a fresh array each time. Read from the store after the session was resumed, or has rested while
   * others were used. @throws SessionError when it cannot be read
   */
  readonly messages: Message[];
  /** The title in lists. Default: the beginning of the first message, once it runs. */
  readonly title: string | undefined;
  /** A copy of the host's notes about the session; empty without notes. */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Stores the message, a text or a list of texts, pictures and files; resolves when it is durable, before any model call. A list is never a
   * command. @throws ValidationError for what the model is known not to read, by its place; SessionError, also `ENTRY_TOO_LARGE`, and
   * `IDEMPOTENCY_CONFLICT` when another message was sent under the key; AbortError
   */
  send(message: string | readonly UserContent[], options?: SendOptions): Promise<SendOutcome>;
  /** Serves one run; the last event is its one `result`. Leaving early aborts the run. @throws SessionError at the first `next()` */
  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void>;
  /**
   * Runs again what the last run was asked, which has ended with an error: from where it failed, in a run of its own. Like `stream()`.
   * @throws SessionError `NOTHING_TO_STREAM` when the last run has not failed, its model has answered, or its message was refused and nothing
   * else was said
   */
  retry(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void>;
  /**
   * The events of the session, of runs in other processes too, for any number of readers at a time, none of which drives a run: see
   * `watchSession`. They end when the session is closed. @throws SessionError, at the first `next()`
   */
  events(options?: EventsOptions): AsyncGenerator<SessionEvent, void, void>;
  /**
   * Answers a question of a run that ended as `waiting`; `stream()` then goes on at that very call. See `answerQuestion`.
   * @throws ValidationError, SessionError `QUESTION_NOT_OPEN`, `QUESTION_ANSWERED`, `QUESTION_EXPIRED`
   */
  answer(callId: string, answer: QuestionAnswer): Promise<void>;
  /** Aborts the run under way, if any; its result is `aborted`. One that waits for answers is ended, and its questions are withdrawn. */
  abort(): void;
  /** Ends the run under way and frees what the session holds. Safe to call twice. */
  close(): Promise<void>;
  /** Takes effect at the next permission check. @throws ValidationError */
  setPermissionMode(mode: PermissionMode): void;
  /**
   * Allows what the rules match for the rest of the session, after a resume too, in a fork only with `copyRules`. Every deny and ask rule
   * wins over them; resolves when logged, and takes effect at the next call. @throws ValidationError for an invalid rule, SessionError
   * `SESSION_BUSY` while the session is run elsewhere
   */
  allow(rules: string | readonly string[]): Promise<void>;
  /** Takes effect at the next run. */
  setModel(model: string): Promise<void>;
  /** Takes effect at the next run. @throws ValidationError */
  setMaxTurns(maxTurns: number): void;
  /** 1 to 200 characters; durable when it resolves. @throws ValidationError, SessionError `SESSION_BUSY` while the session is run elsewhere */
  setTitle(title: string): Promise<void>;
  /**
   * Replaces all metadata; durable when it resolves. @throws ValidationError, SessionError `SESSION_BUSY` while the session is run
   * elsewhere
   */
  setMetadata(metadata: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Creates a session with this one's options and history, which continues independently; this one, and a run of it, is not disturbed. See
   * `forkSession`. Closed by the caller.
   */
  fork(options?: ForkSessionOptions): Promise<ISession>;
  /**
   * Commands that a message may begin with: the built-in `/compact`, the present files of `commandDirectories`, and the prompts of the MCP
   * servers that are connected.
   * @throws ValidationError naming a file that cannot be a command
   */
  supportedCommands(): Promise<SlashCommand[]>;
  /** The models of the session's provider, as it lists them now. @throws ModelError, AuthenticationError, AbortError */
  supportedModels(options?: { readonly signal?: AbortSignal }): Promise<ModelInfo[]>;
  /**
   * Notifications of runs read from this object that `stream()` does not carry, such as a name in a rule that no tool has: a `warning` for
   * each of the last 50 different ones, by kind, oldest first. `onEvent` of handlers gets them as they happen. MCP servers are in it at once,
   * also between runs: one that was lost, tools that were left out, or have changed and wait.
   */
  diagnosis(): Diagnosis;
  /**
   * Takes back what tools and commands have changed since the message was recorded, byte for byte; the conversation stays. Files that
   * somebody else has changed since are conflicts, and stay. `messageId`: from `send`, `messages` or an event, or the `rewindId` of a
   * rewind. Resolves with `success: false` when there is no such checkpoint, or checkpoints are off.
   * @throws SessionError `SESSION_BUSY` while the session is run, here or elsewhere; ValidationError for a wrong option; AbortError when
   * `signal` is aborted before a file is changed
   */
  rewindFiles(messageId: string, options?: RewindOptions): Promise<RewindResult>;
  /**
   * Goes back to before a message of the user: files, conversation or both. The conversation is cut by an entry in the log; what is cut stays
   * there, and a fork, or another rewind, finds it again. A run that waits or was cut off is ended. When a file cannot be taken back the
   * conversation stays, and `success` is false: `force` takes the file back all the same, `files: false` leaves the files alone.
   * @throws SessionError `SESSION_BUSY` while the session is run, here or elsewhere, `MESSAGE_NOT_FOUND`; ValidationError for a wrong option
   * or a message that is not the user's; AbortError when `signal` is aborted before something is changed
   */
  rewind(options: SessionRewindOptions): Promise<SessionRewindResult>;
  /**
   * Numbers of the checkpoints, as this object knows them since its last run, rewind or start; null when they are off, or another process
   * has had them open all the time.
   */
  getCheckpointStatistics(): CheckpointStatistics | null;
  /** The state of each MCP server, in the order of names. */
  mcpServerStatus(): Promise<McpServerStatus[]>;
  /** All tools of the servers, those that wait for an approval included. */
  mcpListTools(): Promise<McpToolInfo[]>;
  /** @throws McpError when the server cannot be reached; `CONFIG_ERROR` for an unknown name, as in all that follow */
  mcpConnect(serverName: string): Promise<void>;
  /** Takes the tools of a server away, from the next call on; resolves when it has ended. */
  mcpDisconnect(serverName: string): Promise<void>;
  mcpReconnect(serverName: string): Promise<void>;
  /**
   * Offers tools that have changed since they were seen first: one by the server's name of it, or all of the server. Holds over a resume.
   * @throws SessionError `SESSION_BUSY` while the session is run elsewhere: it holds here, and is recorded with the next run
   */
  mcpApprove(serverName: string, name?: string): Promise<void>;
  /** The `contents` of a resource, as the server gave them. @throws McpError, AbortError, as the two that follow */
  mcpReadResource(serverName: string, uri: string, options?: McpWaitOptions): Promise<readonly McpItem[]>;
  /**
   * Calls the listener with the URI when the resource, or one below it, was updated, and once after each new connection: read it again then.
   * Holds over reconnects until the session is closed, or the function is called that it resolves with; a resume subscribes again.
   * @throws McpError `PROTOCOL_ERROR` for a server that takes no subscriptions
   */
  mcpSubscribe(
    serverName: string,
    uri: string,
    listener: McpResourceListener,
    options?: McpWaitOptions,
  ): Promise<() => Promise<void>>;
  /**
   * Values that a server proposes for an argument of a prompt, named as its command (without `/`) or as the server does, or of a resource template: 100 at
   * most, none from a server that proposes none. @throws ValidationError for a request that is about neither or both
   */
  mcpComplete(serverName: string, request: McpCompletionRequest, options?: McpWaitOptions): Promise<McpCompletion>;
  /** Every model call so far, those of subagents included, and their sum; read from the log. */
  usage(): Promise<SessionUsage>;
}
