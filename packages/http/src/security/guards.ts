import { AgentError, AuthenticationError, AuthorizationError, RateLimitError } from '@x/core';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { commonHeaders } from '../answers/answer.ts';
import type { HttpContext, HttpEnv } from '../answers/http-env.ts';
import type { Settings } from '../settings/http-options.ts';
import { bearerName } from './bearer.ts';
import { hostRule, isOriginOf, originRule } from './hosts.ts';
import { RateLimit } from './rate-limit.ts';
import { bytesWithin } from './read-bytes.ts';

const MCP_HEADERS = ['Mcp-Session-Id', 'MCP-Protocol-Version'];

type Guard = MiddlewareHandler<HttpEnv>;
/** Throws for a request that is refused. */
type Check = (context: HttpContext) => void;

/** All guards, in the order in which they look at a request: `first` is called before hono's chain, in which `others` stand. */
export interface Guards {
  readonly first: (context: HttpContext) => Promise<void> | void;
  readonly others: readonly Guard[];
}

/** `isOpen` says of a request if it needs no token. */
export function guards(settings: Settings, isOpen: (context: HttpContext) => boolean): Guards {
  const [names, caller, read] = [namesCheck(settings), callerCheck(settings, isOpen), bodyReader(settings)];
  const afterNames = (context: HttpContext) => {
    caller(context);
    return read(context);
  };
  const { cors: asked } = settings;
  if (asked?.enabled) {
    const last: Guard = async (context, next) => {
      await afterNames(context);
      await next();
    };
    return { first: names, others: [corsGuard(settings, asked), last] };
  }
  const first = (context: HttpContext) => {
    names(context);
    return afterNames(context);
  };
  return { first, others: [] }; // none in the chain: each function there costs 2 % of a call
}

/** Refuses requests for other names of this address, and those that pages of other sites have a browser send. */
function namesCheck(settings: Settings): Check {
  const isOurs = hostRule(settings);
  const mayCall = originRule(settings);
  return (context) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    if (!isOurs(host, socketOf(context)?.localPort))
      throw new AuthorizationError('The Host of the request is not allowed');
    const origin = context.req.header('origin');
    const isOwn = settings.inspector && isOriginOf(host, origin); // `host` is ours: the line above says so
    if (origin !== undefined && !isOwn && !mayCall(origin))
      throw new AuthorizationError('The Origin of the request is not allowed');
  };
}

/** The headers for browsers; a preflight is answered here. */
function corsGuard(settings: Settings, { origin }: NonNullable<Settings['cors']>): Guard {
  const headed = cors({
    origin: typeof origin === 'string' ? origin : [...origin],
    allowMethods: ['GET', 'HEAD', 'POST', ...(settings.mcp || settings.sessions ? ['DELETE'] : [])],
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'X-Request-Id',
      'Idempotency-Key',
      'Last-Event-ID',
      ...(settings.mcp ? MCP_HEADERS : []),
    ],
    exposeHeaders: [
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
      'X-Tool-Outcome',
      ...(settings.mcp ? ['Mcp-Session-Id'] : []),
    ],
    maxAge: 600,
  });
  return (context, next) => {
    const isPreflight = context.req.header('access-control-request-method') !== undefined;
    // An OPTIONS that is no preflight is a request like any other.
    if (context.req.method !== 'OPTIONS') return headed(context, next);
    if (!isPreflight) return next();
    for (const [name, value] of Object.entries(commonHeaders(context))) context.header(name, value);
    return headed(context, next);
  };
}

/** Counts the request for its caller, and refuses one without a token, but where a route is open. */
function callerCheck({ allTokens, rateLimit }: Settings, isOpen: (context: HttpContext) => boolean): Check {
  const limit = rateLimit && new RateLimit(rateLimit);
  return (context) => {
    const name = bearerName(context.req.header('authorization'), allTokens);
    const waitMs = limit?.take(`${name ?? ''}\n${socketOf(context)?.remoteAddress ?? ''}`) ?? 0;
    if (waitMs > 0)
      throw new RateLimitError('Too many requests; see Retry-After', Math.max(1, Math.ceil(waitMs / 1_000)));
    if (allTokens.length > 0 && name === undefined && !isOpen(context))
      throw new AuthenticationError('A valid bearer token is required');
    context.set('caller', name);
  };
}

/** Reads the body of every request that may have one, so that one that is too large is refused wherever it is sent. */
function bodyReader({ maxBodyBytes }: Settings): (context: HttpContext) => Promise<void> {
  return async (context) => {
    const { method } = context.req;
    const declared = Number(context.req.header('content-length') ?? 0);
    const isRead = declared <= maxBodyBytes && ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
    const bytes = isRead ? await bytesWithin(context.req, maxBodyBytes, bindingsOf(context)?.readBody) : undefined;
    if (declared > maxBodyBytes || bytes === 'too many') {
      throw new AgentError(`The body has more than ${maxBodyBytes} bytes`, 'PAYLOAD_TOO_LARGE', 413);
    }
    context.set('bytes', bytes);
  };
}

function socketOf(context: HttpContext) {
  return bindingsOf(context)?.incoming?.socket;
}

/** Absent where the host gives none. */
function bindingsOf({ env }: HttpContext) {
  return env as HttpEnv['Bindings'] | undefined;
}
