import { once } from 'node:events';
import type { Socket } from 'node:net';
import { deleteSession, memoryStore, type SessionEvent, type SessionStore } from '@x/session';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp, type RunningServer, serve } from '../../src/index.ts';
import { type SessionHostOptions, sessionHost } from '../../src/sessions/index.ts';
import { resultOf, until } from '../support/followed.ts';
import {
  ANN,
  counting,
  eventIn,
  type Frame,
  framesOf,
  hosted,
  profileOf,
  TOKENS,
  toolNamed,
} from '../support/hosted.ts';
import { opened } from '../support/raw.ts';

const servers: RunningServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server on a port, and a session of Ann's. */
async function listening(options: Partial<SessionHostOptions> = {}, closeTimeout = 1_000) {
  const store: SessionStore = options.store ?? memoryStore();
  const sessions = sessionHost({ profiles: { chat: profileOf() }, store, lookEveryMs: 20, ...options });
  const server = await serve({ port: 0, logLevel: 'fatal', tokens: TOKENS, sessions, closeTimeout });
  servers.push(server);
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    await fetch(`${server.url}${path}`, {
      method,
      headers: { ...ANN, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const { sessionId } = (await (await ask('POST', '/v1/sessions', {})).json()) as { sessionId: string };
  const path = `/v1/sessions/${sessionId}`;
  const follow = async (query = '', headers: Record<string, string> = {}) => {
    return framesOf(await ask('GET', `${path}/events${query}`, undefined, headers));
  };
  const say = (text: string) => ask('POST', `${path}/messages`, { text });
  return { server, store, ask, path, follow, say };
}

async function readUntil(frames: AsyncGenerator<Frame>, type: SessionEvent['event']['type']): Promise<Frame[]> {
  const seen: Frame[] = [];
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    seen.push(next.value);
    if (eventIn(next.value).event.type === type) return seen;
  }
  throw new Error(`The frames have ended before ${type}`);
}
const recordsIn = (frames: readonly Frame[]) =>
  frames.map(eventIn).filter(({ event }) => ['user_message', 'message', 'result'].includes(event.type));

describe('GET /v1/sessions/:id/events', () => {
  it('H47 Q39 sends each event in a frame whose id is its cursor', async () => {
    const { follow, say, path, store } = await listening();
    const frames = await follow();
    await say('Hello.');

    const seen = await readUntil(frames, 'result');
    await frames.return();

    expect(seen.map(({ id }) => id)).toEqual(seen.map((frame) => eventIn(frame).cursor));
    expect(recordsIn(seen).map(({ event }) => event.type)).toEqual(['user_message', 'message', 'result']);
    // Told live, it has the clock of the one who tells it.
    expect({ ...eventIn(seen.at(-1)!), at: 0 }).toEqual({ ...(await resultOf({ store }, path)), at: 0 });
  });

  it.each([
    ['Last-Event-ID', (id: string) => ['', { 'last-event-id': id }]],
    ['from', (id: string) => [`?from=${id}`, {}]],
    ['Last-Event-ID before from', (id: string) => ['?from=nope', { 'last-event-id': id }]],
  ])('H47 goes on behind %s, without a record lost or doubled', async (_, place) => {
    const { follow, say } = await listening();
    await say('One.');
    const first = await follow();
    const before = await readUntil(first, 'message');
    await first.return();
    const last = before.at(-1)!.id;

    const second = await follow(...(place(last) as [string, Record<string, string>]));
    await say('Two.');
    const after = [...(await readUntil(second, 'result')), ...(await readUntil(second, 'result'))];
    await second.return();

    expect(recordsIn([...before, ...after]).map(({ event }) => event.type)).toEqual(
      Array(2).fill(['user_message', 'message', 'result']).flat(),
    );
    const cursors = recordsIn([...before, ...after]).map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(6);
  });

  it.each(['nope', '1.00000000', '', '999'])('refuses the cursor %j before it answers', async (cursor) => {
    await using host = await hosted();
    const path = await host.made();
    const answer = await host.ask('GET', `${path}/events`, undefined, { 'last-event-id': cursor });

    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_CURSOR']);
  });

  it('keeps a stream on which nothing happens', async () => {
    const { ask, path } = await listening({ heartbeatMs: 10 });
    const answer = await ask('GET', `${path}/events`);
    const reader = answer.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();

    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(new TextDecoder().decode(value)).toBe(': alive\n\n');
  });

  it('says in a frame of its own why it ends', async () => {
    const { follow, store, path } = await listening();
    const frames = await follow();
    const all = Array.fromAsync(frames);
    await deleteSession(path.split('/').at(-1)!, { store }); // by somebody else

    expect((await all).map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      ['error', expect.objectContaining({ success: false, code: 'SESSION_NOT_FOUND' })],
    ]);
  });

  it('ends when the session is deleted here', async () => {
    const { ask, follow, path } = await listening();
    const all = Array.fromAsync(await follow());
    await ask('DELETE', path);

    expect((await all).filter(({ type }) => type === 'message')).toEqual([]);
  });

  it('answers HEAD without following', async () => {
    await using host = await hosted();
    const path = await host.made();
    const answer = await host.ask('HEAD', `${path}/events`);

    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  it('a client that goes away does not end the run', async () => {
    const held = Promise.withResolvers<string>();
    const hold = toolNamed('hold', () => held.promise);
    const script = [{ toolCalls: [{ name: 'hold' }] }, { text: 'Done.' }];
    const { follow, say, path, store } = await listening({
      profiles: { chat: profileOf(script, { tools: [hold], autoApprove: ['hold'] }) },
    });
    const frames = await follow();
    await say('Begin.');
    await readUntil(frames, 'tool_started');
    await frames.return();
    held.resolve('held');

    expect((await resultOf({ store }, path)).event).toMatchObject({ subtype: 'success', content: 'Done.' });
  });

  it('ends when the server does, and leaves the run to the next server of the store', async () => {
    const held = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    let runs = 0;
    const hold = toolNamed(
      'hold',
      () => {
        runs += 1;
        begun.resolve();
        return held.promise;
      },
      { effect: 'pure' },
    );
    const script = [{ toolCalls: [{ name: 'hold' }] }, { text: 'Done.' }];
    const profiles = { chat: profileOf(script, { tools: [hold], autoApprove: ['hold'] }) };
    const first = await listening({ profiles });
    const frames = await first.follow();
    await first.say('Begin.');
    await begun.promise;
    const seen = await readUntil(frames, 'tool_started');
    await first.server.close();
    const rest = await Array.fromAsync(frames);
    held.resolve('held');

    const again = sessionHost({
      profiles: {
        chat: profileOf(
          ['Done.'].map((text) => ({ text })),
          { tools: [hold], autoApprove: ['hold'] },
        ),
      },
      store: first.store,
    });
    await again.start();
    const result = await resultOf(first, first.path, [...seen, ...rest].at(-1)!.id);
    await again.close();

    expect(rest.map(eventIn).filter(({ event }) => event.type === 'result')).toEqual([]);
    expect(result.event).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(runs).toBe(2);
  });
});

describe('a reader that stalls', () => {
  const large = 'x'.repeat(200_000);

  it('ZH01h is disconnected after the time-out, and holds nothing', async () => {
    const { server, path, say, store } = await listening({
      stallMs: 100,
      profiles: { chat: profileOf(({ messages }) => ({ text: `${messages.length} ${large}` })) },
    });
    const socket = await opened(server.port);
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    socket.write(
      `GET ${path}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${ANN.authorization}\r\n\r\n`,
    );
    await once(socket, 'readable');
    await flood(say, store, path, socket);
    socket.resume(); // its end is behind what the kernel holds
    await closed;

    expect(socket.destroyed).toBe(true);
  });

  it('ZH01h is failed where there is no connection to end', async () => {
    const store = memoryStore();
    const sessions = sessionHost({ profiles: { chat: profileOf(counting) }, store, stallMs: 20, heartbeatMs: 5 });
    const app = createApp({ tokens: TOKENS, sessions });
    const headers = { ...ANN, 'content-type': 'application/json' };
    const made = await app.request('/v1/sessions', { method: 'POST', headers, body: '{}' });
    const { sessionId } = (await made.json()) as { sessionId: string };
    const answer = await app.request(`/v1/sessions/${sessionId}/events`, { headers });
    const reader = answer.body!.getReader();
    await reader.read();

    await expect(reader.closed).rejects.toMatchObject({ code: 'CLIENT_STALLED' });
    await sessions.close();
  });
});

/** Fills a connection that nobody reads. */
async function flood(
  say: (text: string) => Promise<Response>,
  store: SessionStore,
  path: string,
  socket: Socket,
): Promise<void> {
  const sessionId = path.split('/').at(-1)!;
  const head = async () => (await store.list({ sessionId })).sessions[0]!.head;
  for (let round = 0; round < 60 && !socket.destroyed; round += 1) {
    const before = await head();
    await say('More.');
    await until(async () => (await head()) >= before + 4);
  }
}
