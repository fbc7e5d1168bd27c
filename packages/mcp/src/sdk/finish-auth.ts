import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { messageOf } from '@x/core/internal';
import { serverFetch } from '../http/server-fetch.ts';
import type { McpRemoteServerBase } from '../port/config.ts';
import { McpError } from '../port/mcp-error.ts';

/** Takes the code with which a user has come back, and keeps the tokens that it is worth. @throws McpError `AUTH_ERROR` */
export async function finishAuth(serverName: string, config: McpRemoteServerBase, code: string): Promise<void> {
  const { authProvider, url } = config;
  const refusal = (text: string, cause?: unknown) =>
    new McpError(`MCP server ${serverName}: ${text}`, { serverName, errorType: 'AUTH_ERROR', cause });
  if (!authProvider) throw refusal('it has no authProvider');
  const { auth } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const onFailure = () => undefined; // it throws as well
  const limits = { maxMessageBytes: 1024 * 1024, totalTimeoutMs: config.timeoutMs ?? 60_000 };
  const fetchFn = serverFetch({ serverName, config, onFailure, ...limits });
  try {
    // safe: the interface is that of the SDK, with looser types
    await auth(authProvider as OAuthClientProvider, { serverUrl: url, authorizationCode: code, fetchFn });
  } catch (error) {
    throw refusal(`the code was not taken: ${messageOf(error)}`, error);
  }
}
