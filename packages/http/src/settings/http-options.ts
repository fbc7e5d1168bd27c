import { type Logger, ValidationError } from '@x/core';
import { quietly } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ToolExecutor } from '@x/executor';
import { ToolRegistry } from '@x/registry';
import {
  defaultConfig,
  isLogLevel,
  type McpOptions,
  type NamedToken,
  type ServerConfig,
} from '../config/server-config.ts';
import { FailureLog } from '../log/failure-log.ts';
import { HOST, ORIGIN } from './hosts-and-origins.ts';
import type { HttpMeter } from './http-meter.ts';
import type { SessionHost } from './session-host.ts';
import { LONGEST_TOKEN, tokensOf } from './tokens.ts';

/** Options of an app; `{ ...loadConfig(), registry }` takes those of the environment. */
export interface HttpOptions extends Partial<ServerConfig> {
  /** The tools that are served, no others. Default: an empty registry. */
  readonly registry?: ToolRegistry;
  /** Runs the tools, in place of the registry's own `invoke`. Default: `new ToolExecutor()`, 30 seconds for each call. */
  readonly executor?: ToolExecutor;
  /** Receives a line for each request and each error. Default: silent; of `serve`, JSON lines on stderr. */
  readonly logger?: Logger;
  /** Measures requests as `http.server.request.duration`, in seconds. Default: none are measured. */
  readonly meter?: HttpMeter;
  /** Texts that must not appear in a log line or an error, next to the tokens. */
  readonly secrets?: readonly string[];
  /** The version that `GET /` and the OpenAPI document say. Default: `1.0.0`. */
  readonly version?: string;
  /** Bytes of a body. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Hides the words of errors that are not the caller's. Default: true when `NODE_ENV` is `production`. */
  readonly production?: boolean;
  /** Sessions that are served as well, made by `sessionHost` of `@x/http/sessions`; they need a token. Default: none. */
  readonly sessions?: SessionHost;
  /** Serves a live view of the sessions for people at `/inspector`; needs `sessions`. Default: false. */
  readonly inspector?: boolean;
}

/** Options that have been checked, with their defaults. */
export interface Settings extends ServerConfig {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly log: FailureLog;
  readonly meter?: HttpMeter;
  readonly version: string;
  readonly maxBodyBytes: number;
  readonly allTokens: readonly NamedToken[];
  readonly isProduction: boolean;
  readonly sessions?: SessionHost;
  readonly inspector?: boolean;
}

const TOKEN = is.secret(
  is.rule(
    `a text of 1 to ${LONGEST_TOKEN} visible ASCII characters`,
    (value) => typeof value === 'string' && value.length <= LONGEST_TOKEN && /^[!-~]+$/.test(value),
  ),
);
const ORIGINS = is.either(ORIGIN, is.listOf(ORIGIN), `${ORIGIN.duty}; or a list of origins`);

const MCP: OptionRules<McpOptions> = {
  name: is.words,
  instructions: is.text,
  pageSize: is.count(),
  maxSessions: is.count(),
  sessionIdleMs: is.count(),
  resources: is.list, // `serveTools` looks into them
  prompts: is.list,
};

export const HTTP: OptionRules<HttpOptions> = {
  port: is.count(0, 65_535),
  host: is.filledText,
  logLevel: is.rule('one of fatal, error, warn, info, debug, trace', isLogLevel),
  cors: is.nested({ enabled: is.required(is.flag), origin: is.required(ORIGINS) }),
  rateLimit: is.nested({ max: is.required(is.count()), timeWindow: is.required(is.count()) }),
  token: TOKEN,
  tokens: is.listOf(is.nested({ name: is.required(is.words), token: is.required(TOKEN) })),
  allowedHosts: is.listOf(HOST),
  allowedOrigins: is.listOf(ORIGIN),
  registry: is.having('a ToolRegistry', 'list', 'get', 'page', 'search', 'execute'),
  executor: is.having('a ToolExecutor', 'execute'),
  logger: is.anything, // `quietly` checks it
  meter: is.having('a meter of OpenTelemetry', 'createHistogram'),
  secrets: is.listOf(is.filledText, 'a list of texts that are not empty'),
  version: is.filledText,
  maxBodyBytes: is.count(),
  mcp: is.either(is.flag, is.nested(MCP), 'true, false or the options of the MCP server'),
  production: is.flag,
  sessions: is.having('a sessionHost of @x/http/sessions', 'start', 'close', 'routes'),
  inspector: is.flag,
};

/** @throws ValidationError naming the first option that is unknown or invalid */
export function settingsOf(options: HttpOptions): Settings {
  checkOptions('HTTP options', options, HTTP);
  const allTokens = tokensOf(options);
  if (options.sessions && allTokens.length === 0) {
    throw new ValidationError('token is required with sessions: each belongs to the name of a token', 'token');
  }
  if (options.inspector && !options.sessions) {
    throw new ValidationError('inspector needs sessions: it shows those of a sessionHost', 'inspector');
  }
  const logger = quietly(options.logger);
  const secrets = [...allTokens.map(({ token }) => token), ...(options.secrets ?? [])];
  const logLevel = options.logLevel ?? defaultConfig.logLevel;
  return {
    ...defaultConfig,
    ...is.given(options, HTTP),
    registry: options.registry ?? new ToolRegistry(),
    executor: options.executor ?? new ToolExecutor(),
    log: new FailureLog(logger, { logLevel, secrets }),
    version: options.version ?? '1.0.0',
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    allTokens,
    isProduction: options.production ?? globalThis.process?.env['NODE_ENV'] === 'production',
  };
}
