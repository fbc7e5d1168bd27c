import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { Agent, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';
import { currentDispatcher, fetchDispatcher } from './http-dispatcher.ts';
import { HttpExchange, type HttpRequest } from './http-exchange.ts';

const REPLY = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const before = getGlobalDispatcher();
const request = ({ url }: { url: string }, more: Partial<HttpRequest> = {}): HttpRequest => ({
  origin: url,
  path: '/',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
  signal: new AbortController().signal,
  onComplete() {},
  ...more,
});
async function bytesOf(exchange: HttpExchange): Promise<string> {
  await exchange.opened();
  const pieces: Buffer[] = [];
  for (let more = await exchange.read(); more; more = await exchange.read()) pieces.push(...more);
  return Buffer.concat(pieces).toString();
}
function asking({ url }: { url: string }) {
  const model = createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${url}/v1` }, 'm');
  return (signal = new AbortController().signal) =>
    collect(model.stream({ instruction: '', messages: [userMessage('Hello')], tools: [], signal }));
}
const ask = (server: { url: string }, signal?: AbortSignal) => asking(server)(signal);

afterEach(() => setGlobalDispatcher(before));

describe.each([
  ['the shared dispatcher', currentDispatcher],
  ['fetch', () => fetchDispatcher],
])('HttpExchange over %s', (_name, dispatcher) => {
  it('hands out status, headers and body, and says when it is complete', async () => {
    await using server = await wireServer({
      status: 201,
      headers: { 'X-Some': 'thing' },
      body: 'hello',
      chunkBytes: 2,
    });
    const onComplete = vi.fn();

    const exchange = new HttpExchange(dispatcher(), request(server, { onComplete }));

    expect(await bytesOf(exchange)).toBe('hello');
    expect(exchange).toMatchObject({ status: 201, headers: expect.objectContaining({ 'x-some': 'thing' }) });
    expect(onComplete).toHaveBeenCalledOnce();
    expect(server.requests[0]).toMatchObject({ method: 'POST', body: '{}' });
  });

  it('does not follow redirects, which would take the key elsewhere', async () => {
    await using server = await wireServer({ status: 307, headers: { location: 'http://127.0.0.1:1/' } });

    const exchange = new HttpExchange(dispatcher(), request(server));
    await exchange.opened();

    expect(exchange.status).toBe(307);
  });

  it('reads a large body in full although it pauses', async () => {
    const body = 'x'.repeat(3_000_000);
    await using server = await wireServer({ body, chunkBytes: 100_000 });
    const exchange = new HttpExchange(dispatcher(), request(server));
    await exchange.opened();

    await wait(30);

    expect((await bytesOf(exchange)).length).toBe(body.length);
  });

  it('fails when the connection is cut, and never says complete', async () => {
    await using server = await wireServer({ body: 'hello', cutAt: 3 });
    const onComplete = vi.fn();

    const exchange = new HttpExchange(dispatcher(), request(server, { onComplete }));

    await expect(bytesOf(exchange)).rejects.toThrow(/closed|terminated/);
    expect(onComplete).not.toHaveBeenCalled();
  });

  it.each(['before the head', 'in the body'])('closes the connection on an abort %s', async (when) => {
    const inBody = when === 'in the body';
    await using server = await wireServer(inBody ? { body: 'hello', hangs: true } : { silent: true });
    const controller = new AbortController();
    const exchange = new HttpExchange(dispatcher(), request(server, { signal: controller.signal }));
    if (inBody) await exchange.opened();
    else while (server.requests.length === 0) await wait(1);

    controller.abort();

    await expect(bytesOf(exchange)).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await server.requests[0]?.settled).toBe('closed');
  });

  it('may be closed at once, twice, and after its end', async () => {
    await using server = await wireServer({ body: 'hello' });
    const early = new HttpExchange(dispatcher(), request(server));
    early.close();
    early.close();
    await expect(early.opened()).rejects.toMatchObject({ code: 'ABORTED' });

    const late = new HttpExchange(dispatcher(), request(server));
    await bytesOf(late);
    late.close();

    expect(await late.read()).toBeUndefined();
  });

  it('closes a released connection whose answer does not end', async () => {
    await using server = await wireServer({ body: REPLY, hangs: true });
    const exchange = new HttpExchange(dispatcher(), request(server));
    await exchange.opened();

    exchange.release();
    exchange.close();

    expect(await server.requests[0]?.settled).toBe('closed');
  });
});

describe('currentDispatcher', () => {
  it('is the one that Node and undici share on this platform', () => {
    expect(currentDispatcher()).not.toBe(fetchDispatcher);
  });

  it('honours setGlobalDispatcher, of which proxies are one use', async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    mock.get('http://model.example').intercept({ path: '/v1/chat/completions', method: 'POST' }).reply(200, REPLY);
    setGlobalDispatcher(mock);

    const { value } = await ask({ url: 'http://model.example' });

    expect(textOf(value)).toBe('Hi');
  });
});

describe('a service that says nothing more', () => {
  it.each([{ silent: true }, { body: 'half', hangs: true }])('has failed: %j', async (answer) => {
    await using server = await wireServer(answer);

    const exchange = new HttpExchange(currentDispatcher(), request(server, { silenceMs: 50 }));

    await expect(bytesOf(exchange)).rejects.toMatchObject({ code: expect.stringMatching(/^UND_ERR_.*TIMEOUT$/) });
  });
});

describe('a kept connection', () => {
  it('that died in the meantime is replaced once, without a word', async () => {
    setGlobalDispatcher(new Agent());
    const server = await rawServer((socket, connection, number) => {
      if (connection === 1 && number === 2) socket.destroy();
      else answer(socket);
    });
    const again = asking(server);
    await again();

    const { value } = await again();

    expect(textOf(value)).toBe('Hi');
    expect(server.connections).toBe(2);
    server.close();
  });

  it('is not tried for ever', async () => {
    setGlobalDispatcher(new Agent());
    let dead = false;
    const server = await rawServer((socket) => (dead ? void socket.destroy() : answer(socket)));
    const again = asking(server);
    await again();
    dead = true;

    await expect(again()).rejects.toMatchObject({ code: 'MODEL_ERROR', retryable: true });

    expect(server.connections).toBe(2);
    server.close();
  });

  it('is none when nothing has ever come on it: the service may have begun to work', async () => {
    setGlobalDispatcher(new Agent());
    const server = await rawServer((socket) => socket.destroy());

    await expect(ask(server)).rejects.toMatchObject({ code: 'MODEL_ERROR', retryable: true });

    expect(server.connections).toBe(1);
    server.close();
  });

  it('is not replaced once a byte of the answer has come', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n', () =>
        socket.destroy(),
      );
    });

    await expect(ask(server)).rejects.toMatchObject({ code: 'MODEL_ERROR', retryable: true });

    expect(server.connections).toBe(1);
    server.close();
  });
});

describe('a stream that is left, in any order', () => {
  const hanging = () => wireServer({ body: REPLY.slice(0, 80), hangs: true });
  const open = ({ url }: WireServer, signal: AbortSignal) =>
    createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: url }, 'm').stream({
      instruction: '',
      messages: [userMessage('Hello')],
      tools: [],
      signal,
    });
  type Act = (stream: ReturnType<typeof open>, controller: AbortController) => unknown;
  const orders: [name: string, acts: Act[]][] = [
    ['abort, then return', [(_, controller) => controller.abort(), (stream) => stream.return(undefined as never)]],
    ['return, then abort', [(stream) => stream.return(undefined as never), (_, controller) => controller.abort()]],
    [
      'next, abort, return',
      [(stream) => stream.next(), (_, controller) => controller.abort(), (stream) => stream.return(undefined as never)],
    ],
    [
      'next, next, abort',
      [(stream) => stream.next(), (stream) => stream.next(), (_, controller) => controller.abort()],
    ],
    [
      'next, throw, abort',
      [(stream) => stream.next(), (stream) => stream.throw(new Error('x')), (_, controller) => controller.abort()],
    ],
  ];

  it.each(orders)('%s: nothing is left unhandled', async (_name, acts) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    await using server = await hanging();
    const controller = new AbortController();
    const stream = open(server, controller.signal);

    const outcomes = acts.map((act) => Promise.resolve(act(stream, controller)).catch(() => undefined));
    await Promise.all(outcomes);
    await nextTurn();

    expect(unhandled).not.toHaveBeenCalled();
    for (const { settled } of server.requests) expect(await settled).toBe('closed');
    process.off('unhandledRejection', unhandled);
  });
});

describe('an answer that is no event stream', () => {
  it.each([
    [
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      { retryable: false, message: expect.stringContaining('text/html') },
    ],
    [
      { headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no such model"}}' },
      { message: expect.stringContaining('no such model') },
    ],
    [
      { headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, body: 'x' },
      { retryable: false, message: expect.stringContaining('gzip') },
    ],
    [{ body: '' }, { retryable: true }],
    [{ body: '\u0000\u0001 noise' }, { retryable: true }],
  ])('%j fails with a typed error', async (script, facts) => {
    await using server = await wireServer(script);

    await expect(ask(server)).rejects.toMatchObject({ code: 'MODEL_ERROR', ...facts });
  });

  it('fails when nobody listens', async () => {
    const { url, close } = await wireServer({});
    await close();

    await expect(ask({ url })).rejects.toMatchObject({ code: 'MODEL_ERROR', retryable: true });
  });
});

function answer(socket: Socket): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${REPLY.length}\r\n\r\n`;
  socket.write(head + REPLY);
}

/** Calls `serve` for each request, with the number of the connection and of the request on it. */
async function rawServer(serve: (socket: Socket, connection: number, number: number) => void) {
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    let number = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes.includes('POST ')) serve(socket, connection, ++number);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    close: () => server.close(),
  };
}
