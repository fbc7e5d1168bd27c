import { setTimeout as wait } from 'node:timers/promises';
import { textOf } from '@x/core';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ask, REPLY } from '../../test/chat-over-http.ts';
import { wireServer } from '../testing/index.ts';
import { currentDispatcher, fetchDispatcher } from './http-dispatcher.ts';
import { HttpExchange, type HttpRequest } from './http-exchange.ts';

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
