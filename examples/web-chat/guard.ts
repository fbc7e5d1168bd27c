import { isAgentError, ValidationError, type WatchOptions, watchSession } from '@x/agent-sdk';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';

/** Bytes of a request. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Refuses what another site has a browser send: a name that was made to point here (DNS rebinding) shows in `Host`, a page of another site
 * in `Origin`. Programs, which send no `Origin`, are let through.
 */
export function ownPagesOnly(): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) throw new HTTPException(403, { message: 'unknown Host' });
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${host}`)
      throw new HTTPException(403, { message: 'another Origin' });
    await next();
  };
}

/** Answers an error as JSON: those of the caller as they are, all others without their words, which are for the log of the server. */
export function errorAnswer(error: Error, context: Context): Response {
  const refused = { code: 'REFUSED', message: error.message };
  if (error instanceof HTTPException) return context.json({ error: refused }, error.status);
  const { statusCode, code, message } = isAgentError(error) ? error : { statusCode: 500, code: '', message: '' };
  if (statusCode >= 400 && statusCode < 500) return Response.json({ error: { code, message } }, { status: statusCode });
  console.error(error);
  return context.json({ error: { code: 'INTERNAL_ERROR', message: 'The server has failed; its log says why' } }, 500);
}

/** The body of a request, an object. @throws ValidationError */
export async function bodyOf(context: Context): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await context.req.json().catch(() => undefined);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new ValidationError('The body must be a JSON object');
}

/** @throws ValidationError when it is not a text, or an empty one */
export function textIn(body: Readonly<Record<string, unknown>>, key: string): string {
  const value = body[key];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new ValidationError(`${key} must be a text`);
}

/** Fails for an unknown session or cursor, before an answer has begun. @throws SessionError `SESSION_NOT_FOUND`, `INVALID_CURSOR` */
export async function refuseUnknown(where: WatchOptions): Promise<void> {
  await watchSession({ ...where, signal: AbortSignal.abort() }).next();
}
