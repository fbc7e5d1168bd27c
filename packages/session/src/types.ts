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
import type { Reconcile } from '@x/executor';
import type { AgentMiddleware, PermissionMode } from '@x/handlers';
import type { ModelInfo, ProviderConfig } from '@x/models';
import type { SessionStore } from './log/session-store.ts';

/** A model of the host's own making, in the place of one of the four services. */
export interface CustomProvider {
  readonly type: 'custom';
  /** Called when the session is made and at each `setModel`. */
  createModel(name: string): Model;
}

/** What a session is made of; an unknown key is refused. */
export interface SessionOptions {
  readonly provider: ProviderConfig | CustomProvider;
  /** The model's name, as the service knows it. */
  readonly model: string;
  readonly systemPrompt?: string;
  /** Model calls per run; default 200. */
  readonly maxTurns?: number;
  /** An existing directory; default: the process's when the session is made. */
  readonly cwd?: string;
  /** Default `default`. */
  readonly permissionMode?: PermissionMode;
  /** Only these tools are offered and run; `[]` means none. A filter, not an approval. */
  readonly allowedTools?: readonly string[];
  /** These are neither offered nor run, whatever `allowedTools` says. */
  readonly disallowedTools?: readonly string[];
  /** The host's own tools, beside the built-in ones. */
  readonly tools?: readonly (ToolDefinition | Tool)[];
  /** Seen by tools and commands, over a minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Concerns attached to the loop; they come after `middlewares`. */
  readonly handlers?: readonly AgentHandler[];
  readonly middlewares?: readonly AgentMiddleware[];
  /** Runs every `beforeAgent` once on a throw-away configuration, so that a broken one is found when the session is made. */
  readonly validateHandlers?: boolean;
  /** Default: SQLite at `${AGENT_SDK_HOME:-~/.agent-sdk}/sessions.db`, closed with the session. A store given here is the host's to close. */
  readonly store?: SessionStore;
  /** Tool calls of one reply that run at a time; default 8. */
  readonly maxParallelTools?: number;
  /** Milliseconds a tool may run; none by default. */
  readonly toolTimeout?: number;
  /** Bytes of UTF-8 a tool result keeps; default 1 MiB. */
  readonly maxToolOutputBytes?: number;
  /** Settles a call whose effect is not known after a crash. */
  readonly reconcile?: Reconcile;
  /** The doors of the tools, in the place of `cwd` and `env`; default: the host's, at `cwd` with `env`. */
  readonly workspace?: Workspace;
}

/** The options of a session that is there already. */
export interface ResumeOptions extends SessionOptions {
  readonly sessionId: string;
}

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

/** The answer to a prompt. */
export interface PromptResult {
  readonly result: string;
  /** In the order of the model's calls. */
  readonly toolCalls: ToolCallRecord[];
  readonly usage: TokenUsage;
  /** Milliseconds. */
  readonly duration: number;
  readonly turnsCount: number;
}

/** A conversation that lasts. Closed by whoever made it. */
export interface ISession extends AsyncDisposable {
  readonly sessionId: string;
  /** The conversation so far, in log order; a fresh array each time. */
  readonly messages: Message[];
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
  /** Counts from the next run. */
  setModel(model: string): Promise<void>;
  /** Counts from the next run. @throws ValidationError */
  setMaxTurns(maxTurns: number): void;
  supportedModels(): Promise<ModelInfo[]>;
}
