import type { RewindResult } from '@x/checkpoint';
import type {
  AgentHandler,
  ModelOptions,
  SendPriority,
  TokenUsage,
  Tool,
  ToolDefinition,
  UserMessage,
  Workspace,
} from '@x/core';
import type { AgentDefinition, Reconcile } from '@x/executor';
import type { AgentMiddleware, CanUseTool, HookConfig, OutputFormat, PermissionMode, TracerLike } from '@x/handlers';
import type { OutputSchema } from '@x/handlers/internal';
import type { McpHostHandlers, McpLogLevel, McpServerConfig } from '@x/mcp';
import type { ModelPrice, ProviderConfig } from '@x/models';
import type { SandboxSettings } from '@x/sandbox';
import type { Role } from '@x/tool-groups';
import type { DiscoveryMode, ToolDiscoveryOptions } from '../discovery/discovery-options.ts';
import type { SessionStore } from '../log/session-store.ts';
import type { ToolGroups } from './role-access.ts';
import type { CustomProvider, FallbackModel } from './session-models.ts';

/** Options of a session; an unknown key is refused. They are copied: later changes have no effect. */
export interface SessionOptions {
  provider: ProviderConfig | CustomProvider;
  /** The model's name, as the service knows it. */
  model: string;
  /**
   * Options of the model in one vocabulary for all services, such as `temperature` and `reasoning`; one that the model or the fallback does
   * not take is refused. `toolChoice` is for the first reply of each run. Subagents have them too, except those with a model of their own.
   */
  modelOptions?: ModelOptions;
  systemPrompt?: string;
  /** Model calls per run; default 200. */
  maxTurns?: number;
  /**
   * US dollars per run, subagents and summaries included, also those of a process before a crash: once they are spent no model call begins,
   * and the run fails with `COST_LIMIT`. Needs the price of every model. Default: no limit.
   */
  maxCost?: number;
  /** An existing directory; default: that of the process when the session is created. */
  cwd?: string;
  /** Default `default`. */
  permissionMode?: PermissionMode;
  /** Only these tools are offered and run; `[]` means none. A filter, not an approval. */
  allowedTools?: readonly string[];
  /** A name is neither offered nor run, whatever `allowedTools` says; a rule such as `Bash(rm *)` refuses the calls it matches, in every mode. */
  disallowedTools?: readonly string[];
  /** Rules that allow without a question: `Read`, `Bash(git *)`, `Write(src/**)`. Deny and ask rules come first. */
  autoApprove?: readonly string[];
  /** Rules that force the question, in `bypassPermissions` too. */
  alwaysAsk?: readonly string[];
  /** Asked about every call that rules, mode and hooks do not decide, readonly ones included. Only `{ behavior: 'allow' }` allows. */
  canUseTool?: CanUseTool;
  /**
   * `wait`: a call that would be refused because nobody answered waits for an answer instead, for days if need be: the run ends as
   * `waiting`, and goes on after `session.answer` or `answerQuestion`. Default `refuse`; then only `canUseTool` lets a call wait.
   */
  askPolicy?: 'refuse' | 'wait';
  /** Milliseconds that a question waits before its call is refused. Default: it never expires. */
  questionTtlMs?: number;
  /** Offers the tool `AskUser`, with which the model asks the user a question that waits likewise. Default false. */
  askUser?: boolean;
  /** Code and commands of the host that observe, change and stop what happens. */
  hooks?: HookConfig;
  /** Subagents that the model starts with the tool `Task`; they have the tools and guards of the session, never more. */
  agents?: readonly AgentDefinition[];
  /** Depth to which subagents may start subagents; default 2. */
  maxSubagentDepth?: number;
  /** Subagents of one run at a time, all depths together; default 4. */
  maxParallelSubagents?: number;
  /** The host's own tools, in addition to the built-in ones; one with `replace: true` replaces the built-in tool of its name. */
  tools?: readonly (ToolDefinition | Tool)[];
  /**
   * MCP servers, by name: letters and digits, with a single `_` or `-` between them. Connected when the session is made, which waits for
   * none; their tools are `mcp__<name>__<tool>`. An `instance` of the official SDK serves one session.
   */
  mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /**
   * Milliseconds for which the first run waits for servers that are still connecting; later ones are offered when they are ready. A server
   * whose tools this process knows from before is not waited for: it is connected when it is needed, or after a second. Default 900.
   */
  mcpStartWait?: number;
  /**
   * Tools of servers and of the host that the model finds with a search tool, instead of getting their definitions with each request.
   * `auto`, the default: when the definitions are more than 10,000 tokens by estimate, those of servers; and the host's own if they alone
   * are more.
   */
  toolDiscovery?: DiscoveryMode | ToolDiscoveryOptions;
  /**
   * Answers what servers ask of the host; without a function the server is told that there is no such thing: `roots`, `elicit` (a question to
   * the user), `elicitUrl` (an address that the user is to open), `sample` (a request to a model), and `log`. Functions are not kept: a resume gives them again.
   */
  mcpHandlers?: McpHostHandlers;
  /** Servers are asked for their logs from this level on; each is a `notification` of the kind `mcp_log`. Default: none are asked for. */
  mcpLogLevel?: McpLogLevel;
  /** Variables for tools and commands, in addition to a minimal environment. */
  env?: Readonly<Record<string, string>>;
  /** Handlers attached to the loop; they come after `middlewares`. */
  handlers?: readonly AgentHandler[];
  middlewares?: readonly AgentMiddleware[];
  /** Runs every `beforeAgent` once on a throw-away configuration, so that a broken one is found when the session is created. */
  validateHandlers?: boolean;
  /** Default: SQLite at `${AGENT_SDK_HOME:-~/.agent-sdk}/sessions.db`, closed with the session. A store given here is the host's to close. */
  store?: SessionStore;
  /** Tool calls of one reply that run at a time; default 8. */
  maxParallelTools?: number;
  /** Milliseconds a tool may run; none by default. */
  toolTimeout?: number;
  /** The effect of a tool's timeout: an error result for the model (`result`, the default), or the end of the run (`throw`). */
  onToolTimeout?: 'result' | 'throw';
  /** Bytes of UTF-8 that a tool result keeps; default 1 MiB. */
  maxToolOutputBytes?: number;
  /**
   * Takes over for the rest of a run when the model still fails after its retries; of the same provider unless it names one. Of a list the
   * first that the run has not used and that is for the error; no model may be in it twice.
   */
  fallbackModel?: string | FallbackModel | readonly (string | FallbackModel)[];
  /** Milliseconds of one run that retries may take in all; default 120000. */
  retryBudgetMs?: number;
  /** US dollars per million tokens, by model name, overriding the built-in table. */
  prices?: Readonly<Record<string, ModelPrice>>;
  /** Receives the spans; default: the tracer of `@opentelemetry/api`, if the host has set one up. */
  tracer?: TracerLike;
  /** Puts messages, inputs and outputs into the spans too; default false. */
  recordContent?: boolean;
  /**
   * Format of the answers of the session's own agent: `content` of a successful `result` is then JSON text, `structured` the value that the
   * schema returns. A run whose answer still does not fit after two further turns fails with `OUTPUT_INVALID`.
   */
  outputFormat?: OutputFormat;
  /** Settles a call whose effect is not known after a crash. */
  reconcile?: Reconcile;
  /** Crashes of a run's process (disposing a worker is none) without a reply or a result in between, before `RUN_CRASHES`. Default 5. */
  maxCrashes?: number;
  /**
   * Directories of commands, relative to `cwd` or absolute: a message `/name arguments` sends the text of the file `name.md`
   * (`/folder:name` for `folder/name.md`). Files are read when a message is sent. When two directories have the same name, the earlier one
   * wins. No other directory is read.
   */
  commandDirectories?: readonly string[];
  /** File and command access of the tools, instead of `cwd` and `env`; default: the host's, at `cwd` with `env`. */
  workspace?: Workspace;
  /** The sandbox of commands and file access. */
  sandbox?: SandboxSettings;
  /**
   * Remembers the files of `cwd` before calls change them, by any tool or command, for `rewindFiles`: in
   * `${AGENT_SDK_HOME:-~/.agent-sdk}/checkpoints`, removed by `deleteSession`. Default false.
   */
  enableFileCheckpointing?: boolean;
  /** 1 to 200 characters. Default: the beginning of the first message, once it runs. */
  title?: string;
  /** The host's notes about the session, for lists: at most 32 keys and 4096 bytes of JSON. Replaces earlier notes. */
  metadata?: Readonly<Record<string, string>>;
  /**
   * The role of the agent: its `rolePrompt` follows the instruction, and a tool in none of its `toolGroups` (absent: of any group) is
   * neither offered nor run, by subagents neither. It must be active. Its `llmServiceId` counts in an organisation only; here `model` names
   * the model. A filter, not an approval.
   */
  role?: Role;
  /**
   * Groups for `role`: a `ToolGroupManager`, asked at each call, or the names of the session's tools. Default: the built-in groups; their
   * tools, `runtimeTools()`, are then added to the session's.
   */
  toolGroups?: ToolGroups;
}

/** Options of a session that exists. */
export interface ResumeOptions extends SessionOptions {
  readonly sessionId: string;
  /**
   * Takes the session from its owner: that run ends with `SESSION_FENCED` and its commands are ended, at its next record or renewal of its
   * lease, within 5 seconds if it is alive. Default false.
   */
  readonly takeOver?: boolean;
}

/** Options of a fork. */
export interface ForkSessionOptions {
  /**
   * The last message to copy, of any role, also one from before a compaction. Absent: everything; while the session is run, here or
   * elsewhere, everything up to its last complete turn.
   */
  readonly messageId?: string;
  /** Copies the checkpoints, so that the new session can rewind to the messages that it has. Default false. */
  readonly copyCheckpoints?: boolean;
  /** Copies the rules that were allowed in the source. Default false. */
  readonly copyRules?: boolean;
}

/** The session to fork, and the options of the new one. */
export interface ForkOptions extends Omit<ResumeOptions, 'takeOver'>, ForkSessionOptions {}

/** Where a session is rewound to, and what of it. */
export interface SessionRewindOptions {
  /** A message of the user, also one that a compaction or an earlier rewind has taken out of the conversation. */
  readonly messageId: string;
  /** Takes the files back to before its run, as `rewindFiles` does. Default: true with `enableFileCheckpointing`. */
  readonly files?: boolean;
  /** Takes the message, and all after it, out of the conversation. Default true. */
  readonly conversation?: boolean;
  /** Only tells what would happen. Default false. */
  readonly dryRun?: boolean;
  /** Restores files, too, that somebody else has changed. Default false. */
  readonly force?: boolean;
  /** Ends the rewind with an AbortError as long as nothing is changed; one that has begun is completed, files and conversation. */
  readonly signal?: AbortSignal;
}

/** What a rewind has done, or with `dryRun` would do. */
export interface SessionRewindResult {
  /** False when a file is not as it was; the conversation then stays as it is. */
  readonly success: boolean;
  readonly dryRun: boolean;
  readonly files?: RewindResult;
  readonly conversation?: {
    /** The message that was rewound to, for the user to change and send again. */
    readonly message: UserMessage;
    /** Messages that are out of the conversation. */
    readonly removed: number;
  };
}

/** Options of `send`. */
export interface SendOptions {
  /** Aborts the run that this message belongs to. */
  readonly signal?: AbortSignal;
  /** Maximum number of turns of the run that this message starts. */
  readonly maxTurns?: number;
  /**
   * Options of the model from this message on until its run ends, over those of the session. `toolChoice` is for the reply to it. One that
   * the model does not take is refused.
   */
  readonly modelOptions?: ModelOptions;
  /** `next` by default: at the next turn of the run under way. `now` interrupts the model; `later` waits for the next run. */
  readonly priority?: SendPriority;
  /**
   * Names this message, 1 to 255 characters without NUL: one that the session has got under the same key, in any process, is not stored again, and the
   * outcome is `duplicate`. Default: every call stores a message.
   */
  readonly idempotencyKey?: string;
}

/** The result of `send`: the message starts the next run, joined the one under way, or waits; or its `idempotencyKey` was sent before. */
export interface SendOutcome {
  readonly status: 'started' | 'steered' | 'queued' | 'duplicate';
  /** Of a duplicate: that of the message that was sent first. */
  readonly messageId: string;
}

/** Options of `stream`. */
export interface StreamOptions {
  /** Default false. */
  readonly includeThinking?: boolean;
}

/** One call of a prompt, with its answer. */
export interface ToolCallRecord {
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  /** Milliseconds, the wait for its turn included. */
  readonly duration: number;
  readonly isError: boolean;
}

/** Options of a session whose answers are values of `S`. */
export interface StructuredOptions<S extends OutputSchema> extends SessionOptions {
  readonly outputFormat: OutputFormat<S>;
}

/** The answer to a prompt. */
export interface PromptResult<T = unknown> {
  readonly result: string;
  /** The value that the schema of `outputFormat` returns for `result`; absent without that option. */
  readonly structured?: T;
  /** In the order of the model's calls. */
  readonly toolCalls: ToolCallRecord[];
  readonly usage: TokenUsage;
  /** Milliseconds. */
  readonly duration: number;
  readonly turnsCount: number;
}

/** The answer to a prompt with `outputFormat`. */
export interface StructuredResult<T> extends PromptResult<T> {
  readonly structured: T;
}
