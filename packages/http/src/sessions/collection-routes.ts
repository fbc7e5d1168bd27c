import { isAgentError } from '@x/core';
import { deleteSession, forkSession } from '@x/session';
import { answer, answerJson } from '../answers/answer.ts';
import type { Route } from '../routes/route.ts';
import { failed, oneOfOurs } from '../routes/schemas.ts';
import { answerMade, createRoute, made } from './create-route.ts';
import { endRun } from './end-run.ts';
import { type HostParts, sessionRoute, UNREACHABLE } from './host-parts.ts';
import { callerOf, OWNER } from './owned-session.ts';
import { ofHost } from './profiles.ts';
import { sessionRow } from './session-row.ts';
import { sessionRequests as requests } from './session-schemas.ts';

const ROW = oneOfOurs('Session');

/** Sessions as a whole: made, listed, looked at, forked, closed, deleted. */
export function collectionRoutes(parts: HostParts): readonly Route[] {
  return [
    createRoute(parts),
    listRoute(parts),
    getRoute(parts),
    forkRoute(parts),
    closeRoute(parts),
    deleteRoute(parts),
  ];
}

function listRoute({ store }: HostParts): Route {
  return {
    method: 'get',
    path: '/v1/sessions',
    operationId: 'listSessions',
    summary: "The caller's sessions, the last used first",
    tag: 'sessions',
    query: requests.ListSessionsQuery,
    answers: { 200: { description: 'One page', schema: oneOfOurs('SessionList') }, 503: UNREACHABLE },
    async handle(request) {
      const query = request.query as { readonly state?: 'idle'; readonly cursor?: string; readonly limit?: number }; // safe: it fits the schema
      const metadata = { [OWNER]: callerOf(request) };
      const { sessions, cursor } = await store.list({ limit: 50, ...query, metadata });
      const own = sessions.filter((one) => one.metadata?.[OWNER] === metadata[OWNER]);
      const rows = await Promise.all(own.map((one) => sessionRow(store, one).catch(unlessGone)));
      const there = rows.filter((row) => row !== undefined);
      return answerJson(request.context, { sessions: there, ...(cursor === undefined ? {} : { cursor }) });
    },
  };
}

/** Leaves out a session that was removed while the page was made. */
function unlessGone(error: unknown): undefined {
  if (!isAgentError(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
}

function getRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id',
      operationId: 'getSession',
      summary: 'One session',
      answers: { 200: { description: 'The session', schema: ROW } },
    },
    async (session, { context }) => answerJson(context, await sessionRow(parts.store, session)),
  );
}

function forkRoute(parts: HostParts): Route {
  const { store, profiles } = parts;
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/fork',
      operationId: 'forkSession',
      summary: 'Makes a session that begins with the history of this one',
      body: requests.ForkRequest,
      bodyName: 'ForkRequest',
      answers: {
        201: made('The new session, which goes on at once if it ends with a message without an answer'),
        400: failed('The request does not fit, or a session cannot be cut there'),
        404: failed('The caller has no session of this id, or the session no such message'),
      },
    },
    async (session, request) => {
      const options = await profiles.optionsOf(session);
      const asked = request.body as { readonly messageId?: string; readonly title?: string }; // safe: it fits the schema
      const own = { sessionId: session.sessionId, metadata: { ...session.metadata } };
      const fork = await ofHost(() => forkSession({ ...options, ...own, ...asked, store }), Object.keys(asked));
      await fork.close();
      return await answerMade(parts, fork.sessionId, request.context);
    },
  );
}

function closeRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/close',
      operationId: 'closeSession',
      summary: 'Ends the run under way, and the streams of those who follow; a later message opens the session again',
      answers: { 204: { description: 'It is closed' } },
    },
    async (session, { context }) => {
      await endRun(parts, session);
      await parts.live.ended(session.sessionId);
      parts.streams.end(session.sessionId);
      return answer(context, null, 204);
    },
  );
}

function deleteRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'delete',
      path: '/v1/sessions/:id',
      operationId: 'deleteSession',
      summary: 'Removes a session with everything that belongs to it',
      answers: { 204: { description: 'It is gone' }, 409: failed('It is being run: abort it first') },
    },
    async (session, { context }) => {
      const { sessionId } = session;
      await parts.live.rested(session);
      await deleteSession(sessionId, { store: parts.store });
      parts.streams.end(sessionId);
      return answer(context, null, 204);
    },
  );
}
