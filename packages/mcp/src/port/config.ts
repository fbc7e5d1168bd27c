import type { McpAuthProvider } from './auth-provider.ts';

/** Options of every server. */
export interface McpServerBase {
  /** Its annotations count: `readOnlyHint` makes a tool `readonly`. Default: false, every tool is `execute`. */
  readonly trusted?: boolean;
  /** Milliseconds for the start of a connection. Default: 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for a request, counted again with each progress. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for a request in all. Default: 600,000. */
  readonly totalTimeoutMs?: number;
}
/** A program that is started, without a shell, and spoken to over its standard input and output. */
export interface McpStdioServerConfig extends McpServerBase {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to PATH, HOME, LANG, TERM and TMPDIR, the only variables of this process that are passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}
/** Options of servers that are reached over HTTP. */
export interface McpRemoteServerBase extends McpServerBase {
  readonly url: string;
  /** On every request to the origin of `url`, and on no other. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Also reaches link-local addresses, such as the metadata services of clouds. Default: false. */
  readonly allowLinkLocal?: boolean;
  /** OAuth; `fileAuthProvider` keeps what it learns in a file. */
  readonly authProvider?: McpAuthProvider;
}
/** A server that speaks HTTP with server-sent events, as protocol 2024-11-05 has it. */
export interface McpSSEServerConfig extends McpRemoteServerBase {
  readonly type: 'sse';
}
/** A server that speaks streamable HTTP. */
export interface McpHttpServerConfig extends McpRemoteServerBase {
  readonly type: 'http';
}
/** A server in this process, made with the official SDK. */
export interface McpSdkServerConfig extends McpServerBase {
  readonly type: 'sdk';
  /** An `McpServer` or `Server`; connected and closed by the hub. */
  readonly instance: McpServerInstance;
}
/** The methods of an `McpServer` that are used. */
export interface McpServerInstance {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}
/** How a server is reached. */
export type McpServerConfig = McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig | McpSdkServerConfig;
