import { isAgentError, SessionError, ValidationError } from '@x/core';
import { type SendOptions, type SendOutcome, type SessionSummary, sessionUsage, watchSession } from '@x/session';
import { assertCursor, conversationOf, sendUnopened } from '@x/session/internal';
import { answerJson } from '../answers/answer.ts';
import type { DescribeError } from '../answers/error-answer.ts';
import type { Route } from '../routes/route.ts';
import { failed, oneOfOurs } from '../routes/schemas.ts';
import { eventFrames, withError } from './frames.ts';
import { type HostParts, sessionRoute, streamed, streamRoute } from './host-parts.ts';
import { withSession } from './profiles.ts';
import { sessionRequests as requests } from './session-schemas.ts';

/** Messages of a session: read, sent, followed, paid for. */
export function messageRoutes(parts: HostParts, describe: DescribeError): readonly Route[] {
  return [readRoute(parts), sendRoute(parts), eventsRoute(parts, describe), usageRoute(parts)];
}

function readRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/messages',
      operationId: 'getMessages',
      summary: 'The newest messages of the conversation, in its order',
      query: requests.MessagesQuery,
      answers: {
        200: { description: 'The messages', schema: oneOfOurs('Messages') },
        404: failed('The caller has no session of this id, or the session no message of the id `before`'),
      },
    },
    async ({ sessionId }, { context, query }) => {
      const { before, limit = 100 } = query as { readonly before?: string; readonly limit?: number }; // safe: it fits the schema
      const all = await conversationOf(parts.store, sessionId);
      const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
      if (end < 0) throw new SessionError(`No message has the id ${before}`, { code: 'MESSAGE_NOT_FOUND' });
      const start = Math.max(0, end - limit);
      return answerJson(context, { messages: all.slice(start, end), hasMore: start > 0 });
    },
  );
}

interface SendRequest extends Pick<SendOptions, 'priority' | 'maxTurns'> {
  readonly text: string;
}

function sendRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/messages',
      operationId: 'sendMessage',
      summary: 'Stores a message, which the session then answers; the answer is in its events',
      headers: requests.SendHeaders,
      body: requests.SendMessageRequest,
      bodyName: 'SendMessageRequest',
      answers: {
        202: { description: 'It is stored, and is not lost', schema: oneOfOurs('SentMessage') },
        409: failed('Another message came under this `Idempotency-Key`'),
      },
    },
    async (session, { context, body, headers }) => {
      const { text, ...how } = body as SendRequest; // safe: it fits the schema
      const { 'idempotency-key': key } = headers as { readonly 'idempotency-key'?: string }; // safe: likewise
      checkText('text', text);
      const sent = await send(parts, session, text, { ...how, ...(key === undefined ? {} : { idempotencyKey: key }) });
      return answerJson(context, sent, 202);
    },
  );
}

/** Not by a pattern of the schema: these are held against short texts only. @throws ValidationError */
export function checkText(field: string, text: string): void {
  if (text.trim() === '') throw new ValidationError(`${field} must be a text that is not blank`, field);
}

/** Stores a message and has the session run. */
export async function send(
  parts: HostParts,
  session: SessionSummary,
  text: string,
  how: SendOptions = {},
): Promise<SendOutcome> {
  const sent = await stored(parts, session, text, how);
  await parts.wake(session.sessionId);
  return sent;
}

async function stored(parts: HostParts, session: SessionSummary, text: string, how: SendOptions): Promise<SendOutcome> {
  try {
    const live = parts.live.get(session.sessionId);
    if (live) return await live.send(text, how); // `now` interrupts its model
  } catch (error) {
    if (!isAgentError(error) || error.code !== 'SESSION_CLOSED') throw error;
  }
  const { store, profiles } = parts;
  const options = await profiles.optionsOf(session);
  // Prompts of MCP servers are commands, and are to be had from open sessions only.
  if (options.mcpServers && text.startsWith('/'))
    return await withSession(parts, session, (opened) => opened.send(text, how));
  const { sessionId, cwd, state } = session;
  return await sendUnopened({ store, sessionId, cwd, waits: state === 'waiting', options }, text, how);
}

function eventsRoute(parts: HostParts, describe: DescribeError): Route {
  const { store } = parts;
  return streamRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/events',
      operationId: 'followSession',
      summary: 'The events of the session as server-sent events, first what its log holds, then what comes',
      query: requests.EventsQuery,
      headers: requests.EventsHeaders,
      answers: {
        200: streamed('A frame for each event: its id is the cursor, its data the event as JSON'),
        400: failed('The request does not fit, or the cursor is none of this session'),
      },
    },
    async ({ sessionId }, { context, query, headers, place }) => {
      const { 'last-event-id': last } = headers as { readonly 'last-event-id'?: string }; // safe: it fits the schema
      const from = last ?? (query as { readonly from?: string }).from;
      if (from !== undefined) await assertCursor(store, sessionId, from);
      const where = { store, sessionId, ...(from === undefined ? {} : { from }) };
      const frames = (signal: AbortSignal) =>
        withError(eventFrames(watchSession({ ...where, signal })), (error) => {
          const { statusCode, body } = describe(context, error);
          return { ...body, statusCode }; // that of the answer is 200
        });
      return place.answer(context, { sessionId, frames });
    },
  );
}

function usageRoute(parts: HostParts): Route {
  return sessionRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/usage',
      operationId: 'getUsage',
      summary: 'Every model call of the session, and their sum',
      answers: { 200: { description: 'Tokens and cost', schema: oneOfOurs('Usage') } },
    },
    async (session, { context }) => {
      const { prices } = await parts.profiles.optionsOf(session);
      return answerJson(context, await sessionUsage(parts.store, session.sessionId, prices ? { prices } : {}));
    },
  );
}
