import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { refusal } from '../support/client-host.ts';

const eventOf = (cursor: string, more = {}) =>
  `id: ${cursor}\ndata: ${JSON.stringify({ cursor, agentPath: [], event: { type: 'checkpoint', ...more } })}\n\n`;
/** A stream with these pieces, which then ends, or stays until it is aborted. */
function streamOf(pieces: readonly string[], stays?: AbortSignal): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      if (stays) stays.addEventListener('abort', () => controller.error(stays.reason));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

type Answer = (signal: AbortSignal) => Response | Promise<Response>;
/** A session of a server that gives these answers, the last one again and again; the cursors that it was asked to go on behind. */
function answering(answers: readonly Answer[], silenceMs?: number) {
  const asked: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get('last-event-id'));
    return await answers[Math.min(asked.length, answers.length) - 1]!(init!.signal!);
  };
  const some = silenceMs === undefined ? {} : { silenceMs };
  return { asked, session: createClient({ baseUrl: 'http://localhost', fetch, ...some }).sessions.open('s') };
}
const begun = () => streamOf([`retry: 1\n${eventOf('1')}`]);
const never = () => new Promise<Response>(() => undefined);

describe('an error of the client, in a stream that has begun', () => {
  it('is told once, with the way around it, when an event is too large', async () => {
    const large = `id: 2\ndata: ${'x'.repeat(32 * 1024 * 1024)}`;
    const { asked, session } = answering([begun, () => streamOf([large]), () => streamOf([eventOf('3')])]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { cursor } of session.events()) seen.push(cursor);
    })();

    expect(await refusal(reading)).toMatchObject({
      code: 'EVENT_TOO_LARGE',
      statusCode: 413,
      message: 'An event has more than 33554432 characters; follow behind the cursor 2 to leave it out',
    });
    expect(seen).toEqual(['1']);
    expect(asked).toEqual([null, '1']);
    expect((await session.events({ from: '2' }).next()).value).toMatchObject({ cursor: '3' });
  });

  it.each<[string, () => Response]>([
    ['no stream', () => new Response('<html>')],
    ['an event of something else', () => streamOf(['data: {}\n\n'])],
    ['an error of something else', () => streamOf(['event: error\ndata: {}\n\n'])],
  ])('is told once: INVALID_ANSWER for %s', async (_, answer) => {
    const { asked, session } = answering([begun, answer]);

    expect(await refusal(Array.fromAsync(session.events()))).toMatchObject({ code: 'INVALID_ANSWER', statusCode: 500 });
    expect(asked).toEqual([null, '1']);
  });

  it.each<[string, () => Response]>([
    [
      'CONNECTION_FAILED',
      () => {
        throw new TypeError('gone');
      },
    ],
    ['the page of a proxy', () => new Response('<html>', { status: 504 })],
  ])('passes: %s (control)', async (_, answer) => {
    const { asked, session } = answering([begun, answer, () => streamOf([eventOf('2')])]);
    const events = session.events();
    await events.next();

    expect((await events.next()).value).toMatchObject({ cursor: '2' });
    expect(asked).toEqual([null, '1', '1']);
    await events.return();
  });
});

describe('silenceMs', () => {
  afterEach(() => void vi.useRealTimers());

  it('connects again when nothing comes for so long, behind the last event', async () => {
    const silent: Answer = (signal) => streamOf([`retry: 1\n${eventOf('1')}`], signal);
    const { asked, session } = answering([silent, never, () => streamOf([eventOf('2')])], 5);
    const events = session.events();
    await events.next();

    expect((await events.next()).value).toMatchObject({ cursor: '2' });
    expect(asked).toEqual([null, '1', '1']);
    await events.return();
  });

  it('ends a first connection that is not answered', async () => {
    const { session } = answering([never], 5);

    expect(await refusal(session.events().next())).toMatchObject({
      code: 'CONNECTION_FAILED',
      statusCode: 503,
      message: 'The server has said nothing for 5 ms',
    });
  });

  it('counts signs of life, and is 45 seconds by default', async () => {
    vi.useFakeTimers();
    let say: (text: string) => void = () => undefined;
    const alive = () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          say = (text) => controller.enqueue(new TextEncoder().encode(text));
          say(`retry: 1\n${eventOf('1')}`);
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { asked, session } = answering([alive, () => streamOf([eventOf('2')])]);
    const events = session.events();
    await events.next();
    const next = events.next();
    for (let sign = 0; sign < 4; sign += 1) {
      await vi.advanceTimersByTimeAsync(44_000);
      say(': alive\n\n');
    }
    await vi.advanceTimersByTimeAsync(44_999);
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(100);

    expect(before).toBe(1);
    expect((await next).value).toMatchObject({ cursor: '2' });
    await events.return();
  });

  it('does not count the time that the reader takes', async () => {
    vi.useFakeTimers();
    const { asked, session } = answering([(signal) => streamOf([eventOf('1'), eventOf('2')], signal)], 1_000);
    const events = session.events();
    await events.next();
    await vi.advanceTimersByTimeAsync(60_000);

    expect((await events.next()).value).toMatchObject({ cursor: '2' });
    expect(asked).toHaveLength(1);
    await events.return();
  });

  it('leaves no timer when the reader leaves', async () => {
    vi.useFakeTimers();
    const { session } = answering([(signal) => streamOf([eventOf('1')], signal)]);
    const events = session.events();
    await events.next();
    const waiting = events.next();
    await events.return();
    await waiting;

    expect(vi.getTimerCount()).toBe(0);
  });
});
