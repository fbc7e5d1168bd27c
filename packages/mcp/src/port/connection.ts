import type { McpServerConfig } from './config.ts';
import type { McpError } from './mcp-error.ts';

/** The abilities of a server. */
export interface McpCapabilities {
  readonly tools: boolean;
  readonly resources: boolean;
  /** To resources. */
  readonly subscriptions: boolean;
  readonly completions: boolean;
  readonly prompts: boolean;
  readonly logging: boolean;
}

export interface McpRequestOptions {
  readonly signal: AbortSignal;
  /** Milliseconds without a progress. */
  readonly timeoutMs: number;
  /** Milliseconds in all. */
  readonly totalTimeoutMs: number;
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
}
/** A notice of how far a request has come. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** An open connection to one server, whatever library speaks the protocol. */
export interface McpConnection {
  readonly capabilities: McpCapabilities;
  /**
   * The result of a request, as the server gave it. An abort and a time-out are told to the server.
   * @throws McpError, AbortError; `SessionLost` when the server has never seen the request, because it has forgotten this client
   */
  request(
    method: string,
    params: object | undefined,
    options: McpRequestOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Ends the connection, and the process of a stdio server. */
  close(): Promise<void>;
}
/** The server has forgotten this client: a new connection may send the same request again. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

/** What a connection tells on its own. */
export interface McpConnectionEvents {
  /** Once, unless the connection was closed from here. */
  readonly lost: (error: McpError) => void;
  readonly toolsChanged: () => void;
  readonly resourceUpdated: (uri: string) => void;
}

/** What is needed to open a connection. */
export interface McpConnectionSetup {
  readonly serverName: string;
  readonly config: McpServerConfig;
  readonly events: McpConnectionEvents;
  readonly place: McpPlace;
  readonly handlers: McpHostHandlers;
  readonly limits: McpConnectionLimits;
  readonly signal: AbortSignal;
}
export interface McpConnectionLimits {
  readonly connectTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** Of each step that ends a process. */
  readonly shutdownMs: number;
}
/** Where stdio servers are started. */
export interface McpPlace {
  readonly cwd: string;
  /** Added to the variables that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly launch?: ((launch: McpLaunch) => McpLaunch | Promise<McpLaunch>) | undefined;
}
/** The start of a stdio server: a program, its arguments and its whole environment. */
export interface McpLaunch {
  readonly serverName: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to descriptors from 3 on, each of which then ends. */
  readonly inputs?: readonly Uint8Array[] | undefined;
  /** Called when the program has ended. */
  readonly ended?: ((end: { readonly code: number | null; readonly stderr: string }) => void) | undefined;
}

/** A directory that a server may be told of. */
export interface McpRoot {
  /** `file://` */
  readonly uri: string;
  readonly name?: string;
}
/** What servers may ask of the host. Each is off until it is given. */
export interface McpHostHandlers {
  readonly roots?: (serverName: string) => readonly McpRoot[] | Promise<readonly McpRoot[]>;
  /** Answers a question of a server: `{ action: 'accept' | 'decline' | 'cancel', content? }`. */
  readonly elicit?: McpHostHandler;
  /**
   * Asks the user to open an address, `{ mode: 'url', url, message, elicitationId }`, and answers `{ action: 'accept' }` when they have done what
   * it is for, else `decline` or `cancel`. A request that the server has refused until then is sent once more. Show the whole address; never
   * open it unasked.
   */
  readonly elicitUrl?: McpHostHandler;
  /** Asks a model for a server: `{ role, content, model }`. */
  readonly sample?: McpHostHandler;
  readonly log?: (serverName: string, entry: McpLogEntry) => void;
}
/** Gets the `params` of the protocol, and answers with its result. */
export type McpHostHandler = (
  serverName: string,
  params: Readonly<Record<string, unknown>>,
  options: { readonly signal: AbortSignal },
) => Promise<Readonly<Record<string, unknown>>>;
/** RFC 5424, from the one that says most to the one that says least. */
export type McpLogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
export interface McpLogEntry {
  readonly level: McpLogLevel;
  readonly logger?: string;
  readonly data: unknown;
}
