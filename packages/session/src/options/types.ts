import type {
  AgentHandler,
  Message,
  Model,
  SendPriority,
  StreamMessage,
  TokenUsage,
  Tool,
  ToolDefinition,
  Workspace,
} from '@x/core';
import type { AgentDefinition, Reconcile } from '@x/executor';
import type { AgentMiddleware, CanUseTool, HookConfig, OutputFormat, PermissionMode, TracerLike } from '@x/handlers';
import type { OutputSchema } from '@x/handlers/internal';
import type { ModelInfo, ModelPrice, ProviderConfig } from '@x/models';
import type { Role } from '@x/tool-groups';
import type { SlashCommand } from '../commands/slash-command.ts';
import type { Diagnosis } from '../diagnose/diagnosis.ts';
import type { SessionStore } from '../log/session-store.ts';
import type { SessionUsage } from '../log/usage.ts';
import type { ToolGroups } from './role-access.ts';

/** A model of the host's own making, in the place of one of the four services. */
export interface CustomProvider {
  readonly type: 'custom';
  /** Called when the session is made and at each `setModel`. */
  createModel(name: string): Model;
}

/** A model of another provider, for when the session's own fails. */
export interface FallbackModel {
  readonly provider: ProviderConfig | CustomProvider;
  readonly model: string;
}

/** What a session is made of; an unknown key is refused. It is copied when the session is made: later changes have no effect. */
export interface SessionOptions {
  provider: ProviderConfig | CustomProvider;
  /** The model's name, as the service knows it. */
  model: string;
  systemPrompt?: string;
  /** Model calls per run; default 200. */
  maxTurns?: number;
  /** An existing directory; default: the process's when the session is made. */
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
  /** Asked about every call that rules, mode and hooks leave open, readonly ones included. Only `{ behavior: 'allow' }` allows. */
  canUseTool?: CanUseTool;
  /** Code and commands of the host that see, change and stop what happens. */
  hooks?: HookConfig;
  /** Subagents that the model starts with the tool `Task`; they have the tools and the guards of the session, never more. */
  agents?: readonly AgentDefinition[];
  /** How deep subagents may start subagents; default 2. */
  maxSubagentDepth?: number;
  /** Subagents of one run at a time, all depths together; default 4. */
  maxParallelSubagents?: number;
  /** The host's own tools, beside the built-in ones; one that says `replace: true` in the place of the built-in tool of its name. */
  tools?: readonly (ToolDefinition | Tool)[];
  /** Seen by tools and commands, over a minimal environment. */
  env?: Readonly<Record<string, string>>;
  /** Concerns attached to the loop; they come after `middlewares`. */
  handlers?: readonly AgentHandler[];
  middlewares?: readonly AgentMiddleware[];
  /** Runs every `beforeAgent` once on a throw-away configuration, so that a broken one is found when the session is made. */
  validateHandlers?: boolean;
  /** Default: SQLite at `${AGENT_SDK_HOME:-~/.agent-sdk}/sessions.db`, closed with the session. A store given here is the host's to close. */
  store?: SessionStore;
  /** Tool calls of one reply that run at a time; default 8. */
  maxParallelTools?: number;
  /** Milliseconds a tool may run; none by default. */
  toolTimeout?: number;
  /** What a tool's time-out does: an error result for the model (`result`, the default), or the end of the run (`throw`). */
  onToolTimeout?: 'result' | 'throw';
  /** Bytes of UTF-8 a tool result keeps; default 1 MiB. */
  maxToolOutputBytes?: number;
  /** Takes over for the rest of a run when the model still fails after its retries; of the same provider unless it names one. */
  fallbackModel?: string | FallbackModel;
  /** Milliseconds of one run that retries may take in all; default 120000. */
  retryBudgetMs?: number;
  /** US dollars per million tokens, by model name, over the built-in table. */
  prices?: Readonly<Record<string, ModelPrice>>;
  /** Where spans go; default: the tracer of `@opentelemetry/api`, where the host has set one up. */
  tracer?: TracerLike;
  /** Puts messages, inputs and outputs into the spans too; default false. */
  recordContent?: boolean;
  /**
   * The form in which the session's own agent answers: `content` of a successful `result` is then JSON text, `structured` what the
   * schema makes of it. A run whose answer still does not fit after two further turns fails with `OUTPUT_INVALID`.
   */
  outputFormat?: OutputFormat;
  /** Settles a call whose effect is not known after a crash. */
  reconcile?: Reconcile;
  /**
   * Times that the process of a run may end without a reply or a result in between, before the run ends with `RUN_CRASHES`; default 5.
   * A worker that is disposed of does not count.
   */
  maxCrashes?: number;
  /**
   * Directories of commands, relative to `cwd` or absolute: a message `/name arguments` is sent as what the file `name.md` says
   * (`/folder:name` for `folder/name.md`). Files are read when a message is sent. The earlier directory holds where two have one name.
   * Nothing is read that is not named here.
   */
  commandDirectories?: readonly string[];
  /** The doors of the tools, in the place of `cwd` and `env`; default: the host's, at `cwd` with `env`. */
  workspace?: Workspace;
  /** 1 to 200 characters. Absent, a new session has the beginning of its first message as its title once that runs. */
  title?: string;
  /** The host's notes about the session, for lists: at most 32 keys and 4096 bytes of JSON. Replaces what was noted before. */
  metadata?: Readonly<Record<string, string>>;
  /**
   * What the agent is, and which tools it may use: its `rolePrompt` follows the instruction, and a tool in none of its `toolGroups`
   * (absent: of any group) is neither offered nor run, by subagents neither. It must be active. Its `llmServiceId` counts in an
   * organisation only; here `model` names the model. A filter, not an approval.
   */
  role?: Role;
  /**
   * The groups there are, for `role`: a `ToolGroupManager`, asked at each call, or the names of the session's tools. Default: the
   * built-in groups; their tools, `runtimeTools()`, are then added to the session's.
   */
  toolGroups?: ToolGroups;
}

/** The options of a session that is there already. */
export interface ResumeOptions extends SessionOptions {
  readonly sessionId: string;
  /**
   * Takes the session from whoever runs it: that run ends with `SESSION_FENCED` and its commands are ended, at its next record or
   * renewal of its lease, within 5 seconds where it is alive. Default false.
   */
  readonly takeOver?: boolean;
}

/** Where a session is forked. */
export interface ForkSessionOptions {
  /**
   * The last message that comes along, of any role, also one from before a compaction. Absent: everything; while the session is
   * run, here or elsewhere, everything up to its last complete turn.
   */
  readonly messageId?: string;
  /** Only `false` so far: there are no checkpoints yet. */
  readonly copyCheckpoints?: boolean;
  /** Whether the rules that were allowed while the source lasted hold in the fork too. Default false. */
  readonly copyRules?: boolean;
}

/** The session to fork, and the options of the new one. */
export interface ForkOptions extends Omit<ResumeOptions, 'takeOver'>, ForkSessionOptions {}

/** How one message is sent. */
export interface SendOptions {
  /** Aborts the run that this message belongs to. */
  readonly signal?: AbortSignal;
  /** The limit of the run that this message starts. */
  readonly maxTurns?: number;
  /** `next` by default: at the next turn of the run under way. `now` interrupts the model; `later` waits for the next run. */
  readonly priority?: SendPriority;
}

/** What became of a message: it starts the next run, joined the one under way, or waits. */
export interface SendOutcome {
  readonly status: 'started' | 'steered' | 'queued';
  readonly messageId: string;
}

/** What a reader wants to see. */
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
  /** What the schema of `outputFormat` has made of `result`; absent without that option. */
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

/** A conversation that lasts. Closed by whoever made it. */
export interface ISession extends AsyncDisposable {
  readonly sessionId: string;
  /**
   * The conversation so far, in log order; a fresh array each time. Of a session that has rested while others were used, or was
   * resumed, it is read from the store. @throws SessionError when it has to be read and cannot be
   */
  readonly messages: Message[];
  /** What lists show. Absent an option, the beginning of the first message, once that runs. */
  readonly title: string | undefined;
  /** A copy of the host's notes about the session; empty when there are none. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Durable when it resolves, before any model call. @throws SessionError, AbortError */
  send(message: string, options?: SendOptions): Promise<SendOutcome>;
  /** Serves one run; the last event is its one `result`. Leaving early aborts the run. @throws SessionError at the first `next()` */
  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, void>;
  /** Aborts the run under way, if any; its result is `aborted`. */
  abort(): void;
  /** Ends the run under way and frees what the session holds. Safe to call twice. */
  close(): Promise<void>;
  /** Counts from the next permission check. @throws ValidationError */
  setPermissionMode(mode: PermissionMode): void;
  /**
   * Allows what the rules match for the rest of the session, after a resume too, in a fork only with `copyRules`. Below every deny and ask
   * rule; in the log when it resolves, and counting from the next call. @throws ValidationError for a rule that cannot be meant,
   * SessionError `SESSION_BUSY` while the session is run elsewhere
   */
  allow(rules: string | readonly string[]): Promise<void>;
  /** Counts from the next run. */
  setModel(model: string): Promise<void>;
  /** Counts from the next run. @throws ValidationError */
  setMaxTurns(maxTurns: number): void;
  /** 1 to 200 characters; durable when it resolves. @throws ValidationError, SessionError `SESSION_BUSY` while the session is run elsewhere */
  setTitle(title: string): Promise<void>;
  /** Replaces all of it; durable when it resolves. @throws ValidationError, SessionError `SESSION_BUSY` while the session is run elsewhere */
  setMetadata(metadata: Readonly<Record<string, string>>): Promise<void>;
  /**
   * A new session with this one's options and history, which goes on independently; this one, and a run of it, is not disturbed.
   * See `forkSession`. Closed by the caller.
   */
  fork(options?: ForkSessionOptions): Promise<ISession>;
  /**
   * What a message may begin with: the built-in `/compact`, and what the files of `commandDirectories` say now.
   * @throws ValidationError naming a file that cannot be a command
   */
  supportedCommands(): Promise<SlashCommand[]>;
  /** The models of the session's provider, as it lists them now. @throws ModelError, AuthenticationError, AbortError */
  supportedModels(options?: { readonly signal?: AbortSignal }): Promise<ModelInfo[]>;
  /**
   * What runs read from this object have reported and `stream()` does not carry, such as a name in a rule that no tool has: a `warning`
   * for each of the last 50 different notifications, by kind, oldest first. What `onEvent` of handlers hears as it happens.
   */
  diagnosis(): Diagnosis;
  /** Every model call so far, subagents' included, and what they come to; read from the log. */
  usage(): Promise<SessionUsage>;
}
