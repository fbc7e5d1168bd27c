import { isAgentError, SessionError, ValidationError } from '@x/core';
import { createSession, type ISession } from '@x/session';
import { createSessionAs } from '@x/session/internal';
import { answerJson } from '../answers/answer.ts';
import type { HttpContext } from '../answers/http-env.ts';
import type { DescribedAnswer, Route } from '../routes/route.ts';
import { baseOf } from '../routes/route-table.ts';
import { failed, oneOfOurs } from '../routes/schemas.ts';
import { type HostParts, UNREACHABLE } from './host-parts.ts';
import { checkText, send } from './message-routes.ts';
import { callerOf, isOfServer, OWNER, PROFILE, REQUEST, summaryOf } from './owned-session.ts';
import { ofHost } from './profiles.ts';
import { sessionRow } from './session-row.ts';
import { sessionRequests as requests } from './session-schemas.ts';

/** Answers a session that was made. */
export const made = (description: string): DescribedAnswer => ({
  description,
  schema: oneOfOurs('Session'),
  headers: { Location: 'The path of the session' },
});

interface CreateRequest {
  readonly profile?: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly message?: string;
}

/** The key in its session of the first message of a request with a key. */
const FIRST_MESSAGE = 'http.first-message';

export function createRoute(parts: HostParts): Route {
  return {
    method: 'post',
    path: '/v1/sessions',
    operationId: 'createSession',
    summary: 'Makes a session from a profile of the server',
    tag: 'sessions',
    headers: requests.CreateHeaders,
    body: requests.CreateSessionRequest,
    bodyName: 'CreateSessionRequest',
    answers: {
      201: made('The session'),
      409: failed('Another session was asked for under this `Idempotency-Key`'),
      503: UNREACHABLE,
    },
    async handle(request) {
      const { message, ...asked } = request.body as CreateRequest; // safe: it fits the schema
      const { 'idempotency-key': key } = request.headers as { readonly 'idempotency-key'?: string }; // safe: likewise
      checkNotes(asked.metadata ?? {});
      if (message !== undefined) checkText('message', message);
      const tokenName = callerOf(request);
      const again =
        key === undefined ? undefined : await repeatable({ tokenName, key, body: request.body as CreateRequest });
      const sessionId = await createdSession(parts, asked, { tokenName, again });
      if (message !== undefined) {
        const how = again ? { idempotencyKey: FIRST_MESSAGE } : {};
        await send(parts, await summaryOf(parts.store, sessionId), message, how);
      }
      return await answerMade(parts, sessionId, request.context);
    },
  };
}

/** Bytes of the notes of a client, as JSON; those of the server and the profile need some too. */
const MOST_BYTES = 3_000;

/** @throws ValidationError */
function checkNotes(metadata: Readonly<Record<string, string>>): void {
  const own = Object.keys(metadata).find(isOfServer);
  if (own !== undefined) throw new ValidationError(`metadata.${own} is the server's: it keeps http.*`, 'metadata');
  if (new TextEncoder().encode(JSON.stringify(metadata)).length > MOST_BYTES)
    throw new ValidationError(`metadata has more than ${MOST_BYTES} bytes of JSON`, 'metadata');
}

/** The session that every request under one key of one token makes, and what tells the request from others. */
interface Repeatable {
  readonly sessionId: string;
  readonly digest: string;
}

interface AskedUnderKey {
  readonly tokenName: string;
  readonly key: string;
  readonly body: CreateRequest;
}

async function repeatable({ tokenName, key, body }: AskedUnderKey): Promise<Repeatable> {
  const { profile, title, metadata = {}, message } = body;
  const notes = Object.keys(metadata)
    .toSorted()
    .map((name) => [name, metadata[name]]);
  const digest = await digestOf([profile, title, notes, message]);
  return { sessionId: await digestOf([tokenName, key]), digest };
}

/** 128 bits of the SHA-256 of JSON, in hexadecimal digits. */
async function digestOf(value: unknown): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Makes the session, or finds the one that was made under this key. @throws SessionError `IDEMPOTENCY_CONFLICT` */
async function createdSession(
  { store, profiles }: HostParts,
  { profile, title, metadata = {} }: Omit<CreateRequest, 'message'>,
  { tokenName, again }: { readonly tokenName: string; readonly again: Repeatable | undefined },
): Promise<string> {
  const name = profiles.nameFor(profile);
  const options = await profiles.optionsFor(name, { tokenName, metadata });
  const own = { [OWNER]: tokenName, [PROFILE]: name, ...(again ? { [REQUEST]: again.digest } : {}) };
  const notes = { ...options.metadata, ...metadata, ...own };
  const all = { ...options, store, metadata: notes, ...(title === undefined ? {} : { title }) };
  try {
    const making = () => (again ? createSessionAs(again.sessionId, all) : createSession(all));
    const session: ISession = await ofHost(making, ['title']);
    await session.close();
    return session.sessionId;
  } catch (error) {
    if (!again || !isAgentError(error) || error.code !== 'SESSION_EXISTS') throw error;
    const found = (await summaryOf(store, again.sessionId)).metadata ?? {};
    if (found[OWNER] === tokenName && found[REQUEST] === again.digest) return again.sessionId;
    const text = 'Another session was asked for under this Idempotency-Key; ask for this one under a key of its own';
    throw new SessionError(text, { code: 'IDEMPOTENCY_CONFLICT' });
  }
}

/** Has a session that was made run, if it has something to do, and shows it. */
export async function answerMade(
  { store, wake }: HostParts,
  sessionId: string,
  context: HttpContext,
): Promise<Response> {
  await wake(sessionId);
  const row = await sessionRow(store, await summaryOf(store, sessionId));
  return answerJson(context, row, 201, { Location: `${baseOf(context)}/v1/sessions/${sessionId}` });
}
