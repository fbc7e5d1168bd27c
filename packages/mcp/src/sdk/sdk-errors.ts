import { messageOf } from '@x/core/internal';
import { isAgentError, isRecord } from '@x/errors';
import { cleanText } from '../definitions/clean-text.ts';
import { isWebUrl } from '../port/check-servers.ts';
import { SessionLost } from '../port/connection.ts';
import { McpError, type McpErrorType } from '../port/mcp-error.ts';
import { type UrlDemand, UrlRequired } from '../port/url-required.ts';

/** JSON-RPC codes that the SDK gives its own failures. */
const TIMED_OUT = -32_001;
const CLOSED = -32_000;
/** Model Context Protocol 2025-11-25, elicitation: the server needs its user to open addresses first. */
const URL_REQUIRED = -32_042;
const MOST_DEMANDS = 4;

/** The error of the SDK as one of ours; `about` is added to the text of a connection that has ended. */
export function errorOfSdk(error: unknown, serverName: string, about: string): Error {
  if (isAgentError(error) && error.name === 'McpError') return error;
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }; // read as unknown values
  if (name === 'Error' && code === 404 && isHttp(error)) return new SessionLost('the server has forgotten its session');
  if (code === URL_REQUIRED) {
    const demands = demandsOf(error);
    if (demands.length > 0) return new UrlRequired(serverName, demands);
  }
  const text = messageOf(error).replace(/^MCP error -?\d+: /, '');
  const errorType = typeOf(error, code);
  const more = errorType === 'NETWORK_TEMPORARY' || errorType === 'NETWORK_PERMANENT' ? about : '';
  return new McpError(`MCP server ${serverName}: ${text}${more}`, { serverName, errorType, cause: error });
}

/** The addresses that a server demands its user to open; incomplete ones are left out. */
function demandsOf(error: unknown): UrlDemand[] {
  const { data } = error as { readonly data?: unknown }; // read as an unknown value
  const list = isRecord(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
  const demands = list.flatMap((one: unknown): UrlDemand[] => {
    if (!isRecord(one)) return [];
    const { elicitationId, url, message } = one;
    if (typeof elicitationId !== 'string' || typeof message !== 'string' || !isWebUrl(url)) return [];
    return url.length > 2_000 ? [] : [{ elicitationId, url: new URL(url).href, message: cleanText(message, 500) }];
  });
  return demands.slice(0, MOST_DEMANDS);
}

function isHttp(error: unknown): boolean {
  return messageOf(error).startsWith('Streamable HTTP error');
}

function typeOf(error: unknown, code: unknown): McpErrorType {
  const { name, constructor } = error as { readonly name?: unknown; readonly constructor?: { readonly name?: string } };
  if (constructor?.name === 'UnauthorizedError' || code === 401 || code === 403) return 'AUTH_ERROR';
  if (name === 'TimeoutError' || code === TIMED_OUT || code === CLOSED) return 'NETWORK_TEMPORARY';
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return 'CONFIG_ERROR'; // there is no such program
  if (typeof code === 'string') return 'NETWORK_PERMANENT';
  if (typeof code !== 'number') return name === 'ZodError' || name === '$ZodError' ? 'PROTOCOL_ERROR' : 'UNKNOWN';
  if (code >= 500 || code === 408 || code === 429) return 'NETWORK_TEMPORARY';
  return code >= 400 ? 'NETWORK_PERMANENT' : 'PROTOCOL_ERROR';
}
