import { ValidationError } from '@x/core';
import { checkOptions } from '@x/errors/option-rules';
import { defaultConfig } from './config/server-config.ts';
import { appUntil } from './create-app.ts';
import { lineLogger } from './log/line-logger.ts';
import { isLoopback } from './security/hosts.ts';
import {
  defaultLimits,
  type RunningServer,
  SERVE,
  type ServeOptions,
  type ServerLimits,
} from './settings/serve-options.ts';
import type { SessionHost } from './settings/session-host.ts';
import { tokensOf } from './settings/tokens.ts';

/**
 * Listens on a port, on Node; without options on 127.0.0.1:3000. Errors and requests are logged on stderr, unless a logger is given. With
 * `sessions` it starts and closes their host; when no token is set, it makes one and prints it on stderr once.
 * @throws ValidationError for invalid options, and for an address that others reach without a token; AgentError `LISTEN_FAILED`
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  checkOptions('Serve options', options, SERVE);
  const { headersTimeout, requestTimeout, keepAliveTimeout, closeTimeout, maxConnections, ...rest } = options;
  const own = { headersTimeout, requestTimeout, keepAliveTimeout, closeTimeout, maxConnections };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  const limits: ServerLimits = { ...defaultLimits, ...given };
  if (limits.headersTimeout > limits.requestTimeout) {
    throw new ValidationError(
      'headersTimeout must be requestTimeout at most: headers are a part of the request',
      'headersTimeout',
    );
  }
  const { host = defaultConfig.host, port = defaultConfig.port } = options;
  if (!isLoopback(host) && tokensOf(options).length === 0) {
    throw new ValidationError(`token is required to listen on ${host}, which others can reach`, 'token');
  }
  const token = options.sessions && tokensOf(options).length === 0 ? crypto.randomUUID() : undefined;
  const closing = new AbortController();
  const named = { logger: lineLogger((line) => process.stderr.write(line)), ...rest };
  const app = appUntil(token === undefined ? named : { ...named, token }, closing.signal);
  const { listen } = await import('./node/listen.ts'); // so that `createApp` needs no Node
  const server = await listen(app, { host, port, limits, onClose: () => closing.abort() });
  return options.sessions ? await withSessions(server, options.sessions, token) : server;
}

/** Begins to run the sessions; a token that was made is printed, which no log is shown. */
async function withSessions(server: RunningServer, sessions: SessionHost, token?: string): Promise<RunningServer> {
  const close = async () => void (await Promise.all([server.close(), sessions.close()]));
  try {
    await sessions.start();
  } catch (error) {
    await close();
    throw error;
  }
  if (token !== undefined) process.stderr.write(`No token is set; the one of this start is ${token}\n`);
  return { ...server, close, [Symbol.asyncDispose]: close, ...(token === undefined ? {} : { token }) };
}
