import { ValidationError } from '@x/core';
import type { SessionSummary } from '@x/session';
import { answersTo, toAGUIStream } from '@x/session/ag-ui';
import { assertCursor } from '@x/session/internal';
import { approvalsIn, toUIMessageStream } from '@x/session/ui';
import { answer } from '../answers/answer.ts';
import type { DescribeError } from '../answers/error-answer.ts';
import type { Route } from '../routes/route.ts';
import { failed } from '../routes/schemas.ts';
import { chunkFrames, withError } from './frames.ts';
import { type HostParts, type StreamRequest, streamed, streamRoute } from './host-parts.ts';
import { send } from './message-routes.ts';
import { summaryOf } from './owned-session.ts';
import { give } from './run-routes.ts';
import { sessionRequests as requests } from './session-schemas.ts';

const CONFLICTS = {
  409: failed('A question that is answered is not open'),
  410: failed('A question that is answered has expired'),
};

/** One run for the two kinds of chat interfaces: the UI message stream of the AI SDK, and AG-UI. */
export function interfaceRoutes(parts: HostParts, describe: DescribeError): readonly Route[] {
  const told = newTeller(parts, describe);
  return [uiRoute(parts, told), uiAgainRoute(parts, told), agUiRoute(parts, told), agUiAgainRoute(parts, told)];
}

/** The beginning of a stream of one run: behind a cursor, or with a message. */
interface Begin {
  readonly from?: string;
  readonly messageId?: string;
}
type Teller = (kind: 'ui' | 'ag-ui', request: StreamRequest, session: SessionSummary, begin?: Begin) => Response;

function newTeller({ store }: HostParts, describe: DescribeError): Teller {
  return (kind, { context, place }, { sessionId }, begin = {}) => {
    const frames = (signal: AbortSignal) => {
      const where = { store, sessionId, signal, ...begin };
      const chunks: AsyncIterable<object> = kind === 'ui' ? toUIMessageStream(where) : toAGUIStream(where);
      const all = kind === 'ui' ? chunkFrames(chunks, '[DONE]') : chunkFrames(chunks);
      return withError(all, (error) => describe(context, error).body);
    };
    const headers = kind === 'ui' ? { 'X-Vercel-AI-UI-Message-Stream': 'v1' } : {};
    return place.answer(context, { sessionId, frames, headers });
  };
}

interface UIPart {
  readonly type?: unknown;
  readonly text?: unknown;
}
interface UIRequest {
  readonly trigger?: unknown;
  readonly messages: readonly {
    readonly role?: string;
    readonly parts?: readonly UIPart[];
    readonly metadata?: { readonly cursor?: unknown } | null;
  }[];
}

function uiRoute(parts: HostParts, told: Teller): Route {
  return streamRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/ui',
      operationId: 'chatOverUI',
      summary: 'Takes the last message of `useChat`, or the approvals in it, and streams the run',
      body: requests.UIRequest,
      bodyName: 'UIRequest',
      answers: { 200: streamed('The UI message stream of the AI SDK'), ...CONFLICTS },
    },
    async (session, request) => {
      const { messages, trigger } = request.body as UIRequest; // safe: it fits the schema, which wants a message
      if (trigger === 'regenerate-message') throw noAgain();
      const { role, parts: said = [], metadata } = messages.at(-1)!;
      const from = role !== 'user' && typeof metadata?.cursor === 'string' ? metadata.cursor : undefined;
      if (from !== undefined) await assertCursor(parts.store, session.sessionId, from); // before an answer has its effect
      const approvals = approvalsIn(said);
      for (const { callId, answer } of approvals) await give(parts, session.sessionId, { callId, answer });
      if (role === 'user') return told('ui', request, session, await asked(parts, session, textOfParts(said)));
      if (approvals.length === 0 && (await resting(parts, session))) throw nothingToTell('an approval');
      return told('ui', request, session, from === undefined ? {} : { from });
    },
  );
}

/** The session as it is now, when nothing is under way and nothing will begin. */
async function resting({ store }: HostParts, { sessionId }: SessionSummary): Promise<SessionSummary | undefined> {
  if ((await store.inbox(sessionId)).length > 0) return undefined;
  const now = await summaryOf(store, sessionId); // after the inbox: a message goes from there into a run
  return now.state === 'idle' ? now : undefined;
}

/** A stream would wait for a run of somebody else's. */
function nothingToTell(other: string): ValidationError {
  return new ValidationError(`Nothing is under way: the last message must be the user's, or have ${other}`, 'messages');
}

/** The session keeps its conversation: the message would be asked a second time, behind its answer. */
function noAgain(): ValidationError {
  const message = 'trigger must not be regenerate-message: rewind the session to before the message, and send it again';
  return new ValidationError(message, 'trigger');
}

function textOfParts(said: readonly UIPart[]): string {
  return said.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

/** @throws ValidationError for an empty text */
async function asked(parts: HostParts, session: SessionSummary, text: string): Promise<Begin> {
  if (text.trim() === '') throw new ValidationError('The last message must have a text', 'messages');
  const { messageId } = await send(parts, session, text);
  return { messageId };
}

function uiAgainRoute(parts: HostParts, told: Teller): Route {
  return streamRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/ui',
      operationId: 'resumeUI',
      summary: 'The run under way, from its beginning, for a page that is loaded again',
      answers: { 200: streamed('The UI message stream of the AI SDK'), 204: { description: 'Nothing is under way' } },
    },
    async (session, request) => {
      return (await resting(parts, session)) ? answer(request.context, null, 204) : told('ui', request, session);
    },
  );
}

interface AGUIRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly resume?: Parameters<typeof answersTo>[0];
}

function agUiRoute(parts: HostParts, told: Teller): Route {
  return streamRoute(
    parts,
    {
      method: 'post',
      path: '/v1/sessions/:id/ag-ui',
      operationId: 'chatOverAGUI',
      summary: 'Takes the last message of an AG-UI client, or what it says to interrupts, and streams the run',
      headers: requests.EventsHeaders,
      body: requests.AGUIRequest,
      bodyName: 'AGUIRequest',
      answers: { 200: streamed('Events of the AG-UI protocol'), ...CONFLICTS },
    },
    async (session, request) => {
      const { messages, resume = [] } = request.body as AGUIRequest; // safe: it fits the schema
      const { 'last-event-id': from } = request.headers as { readonly 'last-event-id'?: string }; // safe: likewise
      if (resume.length > 0 && from !== undefined) await assertCursor(parts.store, session.sessionId, from); // likewise
      for (const one of answersTo(resume)) await give(parts, session.sessionId, one);
      const last = messages.at(-1);
      if (resume.length > 0) return told('ag-ui', request, session, from === undefined ? {} : { from });
      if (last?.role !== 'user') {
        // After a run there is that to tell, as to a page that is loaded again.
        const now = await resting(parts, session);
        if (now && !now.lastResult) throw nothingToTell('`resume` beside it');
        return told('ag-ui', request, session);
      }
      return told('ag-ui', request, session, await asked(parts, session, textOfContent(last.content)));
    },
  );
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOfParts(content.map((part) => Object(part) as UIPart)) : ''; // safe: only read
}

function agUiAgainRoute(parts: HostParts, told: Teller): Route {
  return streamRoute(
    parts,
    {
      method: 'get',
      path: '/v1/sessions/:id/ag-ui',
      operationId: 'resumeAGUI',
      summary: 'The last run after the conversation before it, for a page that is loaded again',
      answers: { 200: streamed('Events of the AG-UI protocol') },
    },
    async (session, request) => told('ag-ui', request, session),
  );
}
