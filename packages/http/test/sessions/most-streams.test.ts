import { once } from 'node:events';
import { memoryStore } from '@x/session';
import { describe, expect, it } from 'vitest';
import { createApp, serve } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { until } from '../support/followed.ts';
import { ANN, BEN, profileOf, TOKENS } from '../support/hosted.ts';
import { opened } from '../support/raw.ts';

const HELLO = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }] };

/** An app with a session of Ann's, and one of Ben's. */
async function bounded(maxStreams?: number) {
  const store = memoryStore();
  const own = maxStreams === undefined ? {} : { maxStreams };
  const sessions = sessionHost({ store, profiles: { chat: profileOf() }, heartbeatMs: 20, ...own });
  const app = createApp({ tokens: TOKENS, sessions });
  const ask = async (method: string, path: string, who = ANN, body?: object, signal: AbortSignal | null = null) =>
    await app.request(path, {
      method,
      headers: { ...who, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
    });
  const made = async (who: typeof ANN) =>
    `/v1/sessions/${((await (await ask('POST', '/v1/sessions', who, {})).json()) as { sessionId: string }).sessionId}`;
  const [ann, ben] = [await made(ANN), await made(BEN)];
  const follow = async (who = ANN, signal?: AbortSignal) =>
    await ask('GET', `${who === ANN ? ann : ben}/events`, who, undefined, signal);
  return { ask, follow, ann, store, sessions };
}

describe('maxStreams', () => {
  it('refuses one stream more of a token, and says when to come again; others have their own', async () => {
    const { follow } = await bounded(2);
    const [one, two, three] = [await follow(), await follow(), await follow()];

    expect([one.status, two.status, three.status]).toEqual([200, 200, 429]);
    expect(three.headers.get('retry-after')).toBe('5');
    expect(await three.json()).toEqual({
      success: false,
      error: '2 streams are open; close one, or come again',
      code: 'RATE_LIMIT_EXCEEDED',
    });
    expect((await follow(BEN)).status).toBe(200);
  });

  it('counts those that are asked for at the same moment', async () => {
    const { follow } = await bounded(3);
    const answers = await Promise.all(Array.from({ length: 10 }, () => follow()));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  it('is 500 by default', async () => {
    const { follow } = await bounded();
    const answers: number[] = [];
    for (let stream = 0; stream < 501; stream += 1) answers.push((await follow()).status);

    expect(answers.indexOf(429)).toBe(500);
  });

  it.each<[string, (stream: Response, leaving: AbortController) => Promise<unknown>]>([
    ['its reader cancels', async ({ body }) => await body!.cancel()],
    ['its client leaves before it has read', async (_, leaving) => leaving.abort()],
    [
      'its client leaves while it reads',
      async ({ body }, leaving) => {
        const reader = body!.getReader();
        await reader.read();
        leaving.abort();
      },
    ],
  ])('frees the place when %s', async (_, end) => {
    const { follow } = await bounded(1);
    const leaving = new AbortController();
    const stream = await follow(ANN, leaving.signal);
    const refused = await follow();
    await end(stream, leaving);

    expect([stream.status, refused.status]).toEqual([200, 429]);
    expect((await follow()).status).toBe(200);
    expect((await follow()).status).toBe(429); // freed once
  });

  it('frees the place of a client that has left before the answer', async () => {
    const { follow } = await bounded(1);
    const leaving = new AbortController();
    const answering = follow(ANN, leaving.signal);
    leaving.abort();
    await answering; // which nobody reads

    expect((await follow()).status).toBe(200);
    expect((await follow()).status).toBe(429); // freed once
  });

  it('frees the place when the session is closed, and the stream ends', async () => {
    const { follow, ask, ann } = await bounded(1);
    const text = (await follow()).text();
    await ask('POST', `${ann}/close`);
    await text;

    expect((await follow()).status).toBe(200);
  });

  it.each([
    ['HEAD', '/events', 200],
    ['GET', '/events?from=nope', 400],
    ['GET', '/ui', 204],
  ])('takes none for %s %s, which has no stream', async (method, path, status) => {
    const { follow, ask, ann } = await bounded(1);
    const answer = await ask(method, ann + path);

    expect(answer.status).toBe(status);
    expect((await follow()).status).toBe(200);
  });

  it.each(['/ui', '/ag-ui'])('counts %s, and stores no message of a request that is refused', async (path) => {
    const { follow, ask, ann, store } = await bounded(1);
    await follow();
    const body = path === '/ui' ? HELLO : { messages: [{ role: 'user', content: 'Hello.' }] };
    const answer = await ask('POST', ann + path, ANN, body);

    expect(answer.status).toBe(429);
    expect(await store.inbox(ann.split('/').at(-1)!)).toEqual([]);
  });

  it('frees the place of a connection that is lost', async () => {
    const { sessions, ann } = await bounded(1);
    const server = await serve({ port: 0, logLevel: 'fatal', tokens: TOKENS, sessions });
    const follow = async () => {
      const socket = (await opened(server.port)).on('error', () => undefined);
      socket.write(
        `GET ${ann}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${ANN.authorization}\r\n\r\n`,
      );
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      return { socket, status: bytes.toString().slice(9, 12) };
    };
    const [first, second] = [await follow(), await follow()];
    first.socket.destroy();
    await until(async () => (await follow()).status === '200');

    expect([first.status, second.status]).toEqual(['200', '429']);
    await server.close();
  });
});
