import { isAgentError, messageOf } from '@x/errors';
import { guardedFetch } from '@x/sandbox/internal';
import type { McpRemoteServerBase } from '../port/config.ts';
import { McpError, type McpErrorType } from '../port/mcp-error.ts';
import { withBoundedBody } from './bounded-body.ts';
import { isLinkLocal } from './link-local.ts';

export interface ServerFetchSetup {
  readonly serverName: string;
  readonly config: McpRemoteServerBase;
  readonly maxMessageBytes: number;
  /** Of a request that sends a message, until its answer has ended. */
  readonly totalTimeoutMs: number;
  /** Called when the server cannot be reached, or has broken a rule: nothing more will come of it. */
  readonly onFailure: (error: McpError) => void;
}
export type ServerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A `fetch` for one server: own headers to its origin only, no redirects, no link-local addresses, bounded answers. */
export function serverFetch(setup: ServerFetchSetup): ServerFetch {
  const { serverName, config, maxMessageBytes, totalTimeoutMs, onFailure } = setup;
  const { origin } = new URL(config.url);
  const admitsAddress = (address: string) => config.allowLinkLocal === true || !isLinkLocal(address);
  return async (target, init = {}) => {
    const url = new URL(target);
    const isOwn = url.origin === origin;
    const headers = new Headers(init.headers);
    if (isOwn) for (const [name, value] of Object.entries(config.headers ?? {})) headers.set(name, value);
    const signals = [init.signal ?? [], init.method === 'POST' ? AbortSignal.timeout(totalTimeoutMs) : []].flat();
    const signal = AbortSignal.any(signals);
    const fail = (error: McpError): McpError => {
      if (isOwn) onFailure(error);
      return error;
    };
    try {
      const request = new Request(url, { ...init, headers, redirect: 'manual', signal });
      const response = await guardedFetch(request, { admitsAddress });
      const message = `MCP server ${serverName} sent a message of more than ${maxMessageBytes} bytes`;
      const tooLong = () => fail(new McpError(message, { serverName, errorType: 'PROTOCOL_ERROR' }));
      return withBoundedBody(response, maxMessageBytes, tooLong);
    } catch (error) {
      if (signal.aborted) throw error;
      throw fail(unreachable(serverName, error));
    }
  };
}

const PERMANENT = /^(ENOTFOUND|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

function unreachable(serverName: string, cause: unknown): McpError {
  const { code } = cause as { readonly code?: unknown }; // read as an unknown value
  const name = typeof code === 'string' ? code : '';
  const text = messageOf(cause);
  const reason = name === '' || text.includes(name) ? text : `${text} (${name})`;
  return new McpError(`MCP server ${serverName} cannot be reached: ${reason}`, {
    serverName,
    errorType: typeOf(cause, name),
    cause,
  });
}

function typeOf(cause: unknown, code: string): McpErrorType {
  if (isAgentError(cause)) return 'CONFIG_ERROR'; // an address that is not admitted
  return PERMANENT.test(code) ? 'NETWORK_PERMANENT' : 'NETWORK_TEMPORARY';
}
