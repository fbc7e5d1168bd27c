import { ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import type { ServeToolsOptions } from '@x/mcp/server';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** The least important line that is still written. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A token and the name of whoever holds it. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/** Options of the MCP server at `/mcp`. Its version is that of the server. */
export type McpOptions = Omit<ServeToolsOptions, 'version' | 'onError'>;

/** Settings of a server that its operator decides. */
export interface ServerConfig {
  readonly port: number;
  readonly host: string;
  readonly logLevel: LogLevel;
  /** Pages of other sites that may call the server from a browser. Default: none, and no CORS header. */
  readonly cors?: { readonly enabled: boolean; readonly origin: string | readonly string[] };
  /** At most `max` requests of one client within `timeWindow` milliseconds. Default: no limit. */
  readonly rateLimit?: { readonly max: number; readonly timeWindow: number };
  /** The bearer token of every caller; its name is `default`. Default: none, which only a loopback address allows. */
  readonly token?: string;
  /** Tokens of several callers, next to `token`. */
  readonly tokens?: readonly NamedToken[];
  /** Further values of `Host`, with a port or for any port. Default: none but the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Serves the tools by the Model Context Protocol as well, at `/mcp`. Default: false. */
  readonly mcp?: boolean | McpOptions;
  /** Values of `Origin` that are answered, next to those of `cors`. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

/** The configuration of an empty environment, as `loadConfig` reads it. */
export const defaultConfig: ServerConfig = Object.freeze({
  port: 3000,
  host: '127.0.0.1',
  logLevel: 'info',
  cors: Object.freeze({ enabled: false, origin: '*' }),
});

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `PORT`, `HOST`, `LOG_LEVEL`, `CORS_ENABLED`, `CORS_ORIGIN`, `RATE_LIMIT_MAX`, `RATE_LIMIT_WINDOW`, `HTTP_TOKEN`, `ALLOWED_HOSTS`,
 * `ALLOWED_ORIGINS` and `MCP_ENABLED` when it is called; an empty variable counts as absent.
 * @throws ValidationError naming the variable
 */
export function loadConfig(env: Environment = globalThis.process?.env ?? {}): ServerConfig {
  const listed = (name: string) => listOf(env[name]);
  const max = wholeNumber(env, 'RATE_LIMIT_MAX', 1, Number.MAX_SAFE_INTEGER);
  const timeWindow = wholeNumber(env, 'RATE_LIMIT_WINDOW', 1, Number.MAX_SAFE_INTEGER) ?? 60_000;
  return {
    port: wholeNumber(env, 'PORT', 0, 65_535) ?? defaultConfig.port,
    host: env['HOST'] || defaultConfig.host,
    logLevel: logLevelIn(env),
    cors: { enabled: env['CORS_ENABLED'] === 'true', origin: originIn(listed('CORS_ORIGIN')) },
    ...present({
      rateLimit: max === undefined ? undefined : { max, timeWindow },
      token: env['HTTP_TOKEN'] || undefined,
      mcp: env['MCP_ENABLED'] === 'true' ? true : undefined,
      allowedHosts: listed('ALLOWED_HOSTS'),
      allowedOrigins: listed('ALLOWED_ORIGINS'),
    }),
  };
}

/** Names of levels from the most important one on. */
export function levelsUpTo(level: LogLevel): readonly LogLevel[] {
  return LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

function logLevelIn(env: Environment): LogLevel {
  const level = env['LOG_LEVEL'] || defaultConfig.logLevel;
  if (isLogLevel(level)) return level;
  throw new ValidationError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`, 'LOG_LEVEL');
}

function originIn(origins: readonly string[] | undefined): string | readonly string[] {
  if (origins === undefined) return '*';
  return origins.length === 1 ? origins[0]! : origins; // it has one
}

function wholeNumber(env: Environment, name: string, least: number, most: number): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new ValidationError(`${name} must be a whole number from ${least} to ${most}`, name);
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const parts = text?.split(',').map((part) => part.trim());
  const filled = parts?.filter((part) => part !== '');
  return filled?.length ? filled : undefined;
}
