import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { HTTP, type HttpOptions } from './http-options.ts';

/** Options of a server; all times are in milliseconds. */
export interface ServeOptions extends HttpOptions {
  /** Within which the headers of a request must have come. Default: 10000. */
  readonly headersTimeout?: number;
  /** Within which the whole request must have come; so long, too, a client may take nothing of an answer. Default: 30000. */
  readonly requestTimeout?: number;
  /** Milliseconds for which a connection without a request is kept. Default: 5000. */
  readonly keepAliveTimeout?: number;
  /** Milliseconds for which `close` waits for calls that run. Default: 5000. */
  readonly closeTimeout?: number;
  /** Connections at once; further ones are closed. Default: 1000. */
  readonly maxConnections?: number;
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** The token that was made because sessions need one and none was set. */
  readonly token?: string;
  /** Accepts no more requests, waits for those that run, then ends all connections. May be called again. */
  close(): Promise<void>;
}

/** Times and numbers of a listening server, all given. */
export type ServerLimits = Required<Omit<ServeOptions, keyof HttpOptions>>;

export const defaultLimits: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  closeTimeout: 5_000,
  maxConnections: 1_000,
};

export const SERVE: OptionRules<ServeOptions> = {
  ...HTTP,
  headersTimeout: is.count(),
  requestTimeout: is.count(),
  keepAliveTimeout: is.count(),
  closeTimeout: is.finiteMilliseconds(),
  maxConnections: is.count(),
};
