import { type McpConnection, SessionLost } from '../port/connection.ts';
import { McpError } from '../port/mcp-error.ts';

const TIMEOUT_MS = 10_000;

/**
 * Asks a server from time to time: over HTTP there may be no stream whose end would say that it is gone. Returns the function that stops
 * it.
 */
export function watchServer(connection: McpConnection, everyMs: number, lost: (error: Error) => void): () => void {
  const { signal } = new AbortController();
  const options = { signal, timeoutMs: TIMEOUT_MS, totalTimeoutMs: TIMEOUT_MS };
  const timer = setInterval(() => {
    connection.request('ping', undefined, options).catch((error: unknown) => {
      if (error instanceof SessionLost || (error instanceof McpError && error.errorType.startsWith('NETWORK')))
        lost(error);
    });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
