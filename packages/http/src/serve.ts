import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { defaultConfig } from './config.ts';
import { createApp } from './create-app.ts';
import { HTTP, type HttpOptions } from './http-options.ts';
import { lineLogger } from './log/line-logger.ts';
import { tokensOf } from './security/bearer.ts';
import { isLoopback } from './security/hosts.ts';

/** Options of a server; all times are in milliseconds. */
export interface ServeOptions extends HttpOptions {
  /** Within which the headers of a request must have come. Default: 10000. */
  readonly headersTimeout?: number;
  /** Within which the whole request must have come. Default: 30000. */
  readonly requestTimeout?: number;
  /** How long a connection without a request is kept. Default: 5000. */
  readonly keepAliveTimeout?: number;
  /** How long `close` waits for calls that run. Default: 5000. */
  readonly closeTimeout?: number;
  /** Connections at once; further ones are closed. Default: 1000. */
  readonly maxConnections?: number;
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** Accepts no more requests, waits for those that run, then ends all connections. May be called again. */
  close(): Promise<void>;
}

/** Times and numbers of a listening server, all given. */
export type ServerLimits = Required<Pick<ServeOptions, keyof typeof defaultLimits>>;

const defaultLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  closeTimeout: 5_000,
  maxConnections: 1_000,
};

const SERVE: OptionRules<ServeOptions> = {
  ...HTTP,
  headersTimeout: is.count(),
  requestTimeout: is.count(),
  keepAliveTimeout: is.count(),
  closeTimeout: is.finiteMilliseconds(),
  maxConnections: is.count(),
};

/**
 * Listens on a port, on Node; without options on 127.0.0.1:3000. Errors and requests are logged on stderr, unless a logger is given.
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
  const app = createApp({ logger: lineLogger((line) => process.stderr.write(line)), ...rest });
  const { listen } = await import('./node/listen.ts'); // so that `createApp` needs no Node
  return await listen(app, { host, port, limits });
}
