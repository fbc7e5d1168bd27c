import type { McpProblem } from '../definitions/definition.ts';

/** The state of one server. */
export interface McpServerStatus {
  readonly name: string;
  /**
   * `error`: it cannot be used now; a server that was lost is tried again by itself, and is `connecting` meanwhile. `disconnected` with tools:
   * they are known from before, and it is connected when it is needed.
   */
  readonly status: 'connected' | 'disconnected' | 'connecting' | 'error';
  /** Tools that are offered. */
  readonly toolCount: number;
  /** The server's own names of them. */
  readonly tools?: string[];
  readonly connectedAt?: Date;
  /** The last failure, until the server is connected again. */
  readonly error?: string;
  /** Tools that were left out, cut or have changed; absent when there are none. */
  readonly problems?: readonly McpProblem[];
}
/** A tool of a server. */
export interface McpToolInfo {
  /** The server's own name of it. */
  readonly name: string;
  readonly description: string;
  readonly serverName: string;
  /** The name for the model. */
  readonly toolName: string;
  /** False for a tool that has changed since it was first seen: it is not offered until `approve`. */
  readonly approved: boolean;
}
/** A change that the host may want to show, or to act on. */
export interface McpNotice {
  /**
   * `mcp_tools`: other tools are offered. `mcp_problem`: a tool was left out, cut or has changed. `mcp_status`: a state has changed.
   * `mcp_log`: the server has logged something, cut to 1,000 characters.
   */
  readonly kind: 'mcp_tools' | 'mcp_problem' | 'mcp_status' | 'mcp_log';
  readonly serverName: string;
  readonly message: string;
  /** The new state, of `mcp_status`. */
  readonly status?: McpServerStatus['status'];
}
/** Waits between tries to reach a lost server, doubled each time. */
export interface McpReconnectOptions {
  /** Milliseconds before the first try. Default: 500. */
  readonly baseMs?: number;
  /** Milliseconds at most. Default: 30,000. */
  readonly maxMs?: number;
  /** Tries before the server is given up until `reconnect`. Default: 10. */
  readonly attempts?: number;
  /** Milliseconds between questions to a streamable HTTP server, which could be gone unnoticed; 0: none. Default: 30,000. */
  readonly pingMs?: number;
}
