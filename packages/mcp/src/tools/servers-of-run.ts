import type { RunContext } from '@x/core';
import { rootRun } from '@x/core/internal';
import { McpError } from '../port/mcp-error.ts';
import type { ServerCall } from './mcp-tool.ts';

/** The way of a call to one server. */
export interface ServerOfRun {
  call(call: ServerCall): Promise<Readonly<Record<string, unknown>>>;
  ask(method: string, params: object, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

type Servers = ReadonlyMap<string, ServerOfRun>;

const serversOf = new WeakMap<RunContext, Servers>();

/** From now on, shared tools that are called in this run, or in one of a subagent below it, reach these servers. */
export function serveRun(run: RunContext, servers: Servers): void {
  serversOf.set(run, servers);
}

/** @throws McpError `CONFIG_ERROR` for a run of a session without this server */
export function serverOfRun(serverName: string, run: RunContext): ServerOfRun {
  const server = serversOf.get(rootRun(run))?.get(serverName);
  if (server) return server;
  const message = `MCP server ${serverName} is no server of this session`;
  throw new McpError(message, { serverName, errorType: 'CONFIG_ERROR' });
}
