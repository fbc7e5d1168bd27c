import { sleep } from '@x/core';
import { leaveAtOnce } from '@x/core/streams';
import { isRecord } from '@x/errors';
import type { SessionEvent } from '@x/session';
import { errorFrom, HttpError, invalidAnswer, isPassing, parsed } from './http-error.ts';
import type { Requests } from './requests.ts';
import { type ServerSentEvent, ServerSentEvents } from './server-sent-events.ts';
import { Silence } from './silence.ts';

/** Milliseconds before the first try to connect again, where the server asks for no other time; doubled each time. */
export const RETRY_MS = 250;
const LONGEST_MS = 10_000;

interface Following {
  readonly path: string;
  readonly from: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The events of a session over any number of connections; ends when `signal` is aborted. @throws HttpError */
export function followedEvents(requests: Requests, following: Following): AsyncGenerator<SessionEvent, void, void> {
  const leaving = new AbortController();
  const given = requests.until(following.signal);
  const signal = given ? AbortSignal.any([given, leaving.signal]) : leaving.signal;
  return leaveAtOnce(newEvents(requests, { ...following, signal }), () => leaving.abort());
}

async function* newEvents(
  requests: Requests,
  { path, from: last, signal }: Following & { readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, void> {
  let retryMs = RETRY_MS;
  let hasBegun = false;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (attempt > 0) await sleep(reconnectMs(attempt, retryMs), signal).catch(() => undefined);
    const silence = new Silence(requests.silenceMs, signal);
    try {
      const headers = { Accept: 'text/event-stream', ...(last === undefined ? {} : { 'Last-Event-ID': last }) };
      const body = eventStreamOf(await silence.during(requests.answer({ path, headers, signal: silence.signal })));
      hasBegun = true;
      const events = new ServerSentEvents();
      for await (const piece of piecesOf(body, silence)) {
        attempt = 0;
        for (const event of events.push(piece)) {
          const told = eventIn(event);
          last = event.id;
          yield told;
        }
        retryMs = events.retryMs ?? retryMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = hasBegun ? askedToWait(error) : undefined;
      if (waitMs !== undefined) await sleep(waitMs, signal).catch(() => undefined);
      else if (!(hasBegun && isPassing(error)) && !(error instanceof CutError)) throw error;
    }
  }
}

/** Milliseconds that a server which gets too many requests asks for; undefined for other errors. */
function askedToWait(error: unknown): number | undefined {
  return error instanceof HttpError && error.statusCode === 429 ? (error.retryAfter ?? 1) * 1_000 : undefined;
}

/** The connection has ended while it was read. */
class CutError extends Error {}

/** The pieces of a body, which is cancelled when the reader leaves. @throws CutError */
async function* piecesOf(body: ReadableStream<Uint8Array>, silence: Silence): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader(); // Safari cannot iterate a body
  try {
    for (;;) {
      const { done, value } = await silence.during(reader.read()).catch((cause) => {
        throw new CutError('The connection has ended', { cause });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have failed
  }
}

function eventStreamOf({ body, headers }: Response): ReadableStream<Uint8Array> {
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) return body;
  void body?.cancel().catch(() => undefined);
  throw invalidAnswer('The answer is no stream of events; does baseUrl name the server?');
}

/** @throws HttpError what the server has said about the end */
function eventIn({ type, data }: ServerSentEvent): SessionEvent {
  const value = parsed(data);
  if (type === 'error') {
    const { statusCode } = Object(value) as { readonly statusCode?: unknown }; // safe: only read
    throw errorFrom(value, typeof statusCode === 'number' ? statusCode : 500);
  }
  if (!isRecord(value) || !isRecord(value['event']) || !Array.isArray(value['agentPath']))
    throw new HttpError('An event is no JSON of this API', 'INVALID_ANSWER', 500);
  return value as unknown as SessionEvent; // safe: as our server writes it
}

/** Milliseconds before a try, from 1. */
export function reconnectMs(attempt: number, retryMs: number): number {
  const ceiling = Math.min(Math.max(LONGEST_MS, retryMs), retryMs * 2 ** (attempt - 1));
  return ceiling * (1 + Math.random() / 4); // clients of one server do not come together
}
