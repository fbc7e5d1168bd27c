import { SessionError } from '@x/core';
import type { SessionStore, SessionSummary } from '@x/session';
import type { RouteRequest } from '../routes/route.ts';

/** Metadata of a session that are the server's: who owns it, the profile it was made with, and a digest of the request that has made it. */
export const OWNER = 'http.owner';
export const PROFILE = 'http.profile';
export const REQUEST = 'http.request';

/** The name of the token that a request has; the guards let nothing through without one. */
export function callerOf({ context }: RouteRequest): string {
  return context.get('caller') ?? '';
}

/** The session of a request's path, if the caller owns it. @throws SessionError `SESSION_NOT_FOUND`, also for that of somebody else */
export async function ownedSession(store: SessionStore, request: RouteRequest): Promise<SessionSummary> {
  const sessionId = request.context.req.param('id') ?? '';
  const metadata = { [OWNER]: callerOf(request) };
  const { sessions } = await store.list({ sessionId, metadata, limit: 1 });
  const [found] = sessions;
  // A store may not know these conditions.
  if (found?.sessionId === sessionId && found.metadata?.[OWNER] === metadata[OWNER]) return found;
  throw new SessionError(`There is no session ${sessionId}`, { code: 'SESSION_NOT_FOUND' });
}

/** The session as it is now, after it was looked at before. @throws SessionError `SESSION_NOT_FOUND` when it was removed meanwhile */
export async function summaryOf(store: SessionStore, sessionId: string): Promise<SessionSummary> {
  const [found] = (await store.list({ sessionId, limit: 1 })).sessions;
  if (found) return found;
  throw new SessionError(`There is no session ${sessionId}`, { code: 'SESSION_NOT_FOUND' });
}

/** The notes that a client has made, without those of the server. */
export function clientMetadata({ metadata = {} }: SessionSummary): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isOfServer(key)));
}

export function isOfServer(key: string): boolean {
  return key.startsWith('http.');
}
