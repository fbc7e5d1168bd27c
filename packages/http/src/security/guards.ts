import { AgentError, AuthenticationError, AuthorizationError, RateLimitError } from '@x/core';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { HttpContext, HttpEnv } from '../answers/http-env.ts';
import type { Settings } from '../settings/http-options.ts';
import { bearerName } from './bearer.ts';
import { hostRule, originRule } from './hosts.ts';
import { RateLimit } from './rate-limit.ts';
import { bytesWithin } from './read-bytes.ts';

const MCP_HEADERS = ['Mcp-Session-Id', 'MCP-Protocol-Version'];

type Guard = MiddlewareHandler<HttpEnv>;

/** Refuses requests for other names of this address, and those that pages of other sites have a browser send. */
export function namesGuard(settings: Settings): Guard {
  const isOurs = hostRule(settings);
  const mayCall = originRule(settings);
  return (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    if (!isOurs(host, socketOf(context)?.localPort))
      throw new AuthorizationError('The Host of the request is not allowed');
    const origin = context.req.header('origin');
    if (origin !== undefined && !mayCall(origin))
      throw new AuthorizationError('The Origin of the request is not allowed');
    return next();
  };
}

/** The headers for browsers; a preflight is answered here. */
export function corsGuard(settings: Settings): Guard {
  if (!settings.cors?.enabled) return (_, next) => next();
  const { origin } = settings.cors;
  const answer = cors({
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
    return context.req.method === 'OPTIONS' && !isPreflight ? next() : answer(context, next);
  };
}

/** Counts the request for its caller, and refuses one without a token; `GET /` is for everybody. */
export function callerGuard({ allTokens, rateLimit }: Settings): Guard {
  const limit = rateLimit && new RateLimit(rateLimit);
  return (context, next) => {
    const name = bearerName(context.req.header('authorization'), allTokens);
    const waitMs = limit?.take(`${name ?? ''}\n${socketOf(context)?.remoteAddress ?? ''}`) ?? 0;
    if (waitMs > 0)
      throw new RateLimitError('Too many requests; see Retry-After', Math.max(1, Math.ceil(waitMs / 1_000)));
    const isOpen = context.req.path === '/' && ['GET', 'HEAD'].includes(context.req.method);
    if (allTokens.length > 0 && name === undefined && !isOpen)
      throw new AuthenticationError('A valid bearer token is required');
    context.set('caller', name);
    return next();
  };
}

/** Reads the body of every request that may have one, so that one that is too large is refused wherever it is sent. */
export function bodyGuard({ maxBodyBytes }: Settings): Guard {
  return async (context, next) => {
    const { raw, method } = context.req;
    const declared = Number(context.req.header('content-length') ?? 0);
    const isRead = declared <= maxBodyBytes && ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
    const bytes = isRead ? await bytesWithin(raw, maxBodyBytes) : undefined;
    if (declared > maxBodyBytes || bytes === 'too many') {
      throw new AgentError(`The body has more than ${maxBodyBytes} bytes`, 'PAYLOAD_TOO_LARGE', 413);
    }
    context.set('bytes', bytes);
    await next();
  };
}

function socketOf({ env }: HttpContext) {
  return (env as HttpEnv['Bindings'] | undefined)?.incoming?.socket; // absent where the host gives no bindings
}
