import type { SessionStore, SessionSummary } from '@x/session';
import type { DescribedAnswer, Route, RouteRequest } from '../routes/route.ts';
import { failed } from '../routes/schemas.ts';
import type { EventStreams, StreamPlace } from './event-streams.ts';
import type { LiveSessions } from './live-sessions.ts';
import { callerOf, ownedSession } from './owned-session.ts';
import type { Profiles } from './profiles.ts';

/** Parts of a host that its routes share. */
export interface HostParts {
  readonly store: SessionStore;
  /** Has a session run that has something to do; at the end of the host whoever serves next sees it in the store. */
  readonly wake: (sessionId: string) => Promise<void>;
  readonly profiles: Profiles;
  readonly live: LiveSessions;
  readonly streams: EventStreams;
}

export const streamed = (description: string): DescribedAnswer => ({
  description,
  type: 'text/event-stream',
  schema: { type: 'string' },
});

/** Answers what the store, or the engine, of the sessions cannot do now. */
export const UNREACHABLE: DescribedAnswer = failed('The sessions cannot be reached now');

/** A route of one session: only its owner gets further than 404. */
export function sessionRoute(
  { store }: Pick<HostParts, 'store'>,
  route: Omit<Route, 'handle' | 'parameters' | 'tag'>,
  handle: (session: SessionSummary, request: RouteRequest) => Response | Promise<Response>,
): Route {
  return {
    ...route,
    tag: 'sessions',
    parameters: { id: { description: 'The id of the session', pattern: '^[A-Za-z0-9_-]{1,128}$' } },
    answers: { 404: failed('The caller has no session of this id'), 503: UNREACHABLE, ...route.answers },
    handle: async (request) => await handle(await ownedSession(store, request), request),
  };
}

/** A request that has a place for its stream. */
export interface StreamRequest extends RouteRequest {
  readonly place: StreamPlace;
}

/** A route of one session that answers with a stream, for which a place is taken before anything is done. */
export function streamRoute(
  parts: Pick<HostParts, 'store' | 'streams'>,
  route: Omit<Route, 'handle' | 'parameters' | 'tag'>,
  handle: (session: SessionSummary, request: StreamRequest) => Promise<Response>,
): Route {
  const answers = { ...route.answers, 429: TOO_MANY };
  return sessionRoute(parts, { ...route, answers }, async (session, request) => {
    const place = parts.streams.place(callerOf(request));
    try {
      return await handle(session, { ...request, place });
    } finally {
      place.leave();
    }
  });
}

const TOO_MANY: DescribedAnswer = {
  ...failed('Too many requests, or the token has too many streams open'),
  headers: { 'Retry-After': 'Seconds' },
};
