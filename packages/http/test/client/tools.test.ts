import { AgentError, isAgentError } from '@x/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, HttpError } from '../../src/client/index.ts';
import { createApp } from '../../src/index.ts';
import { type ClientHost, clientHost, refusal } from '../support/client-host.ts';
import { toolsOf } from '../support/served.ts';

let host: ClientHost;
let begun: PromiseWithResolvers<AbortSignal | undefined>;
beforeAll(async () => {
  const registry = toolsOf({
    'gives-object': () => ({ a: [1, null] }),
    'fails-with-teapot': () => {
      throw new AgentError('no coffee', 'TEAPOT', 418);
    },
  });
  registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, context) => {
    begun.resolve(context?.signal);
    return await new Promise(() => undefined);
  });
  host = await clientHost({}, { registry });
});
afterAll(async () => await host[Symbol.asyncDispose]());

describe('tools', () => {
  it('lists a page of those that fit', async () => {
    const { tools, pagination } = await host.client.tools.list({ tag: 'math', limit: 1, page: 2, enabled: true });

    expect(tools).toMatchObject([{ name: 'add-two', category: 'sums', registeredAt: expect.stringMatching(/^2.*Z$/) }]);
    expect(pagination).toEqual({ page: 2, limit: 1, total: 2, totalPages: 2 });
  });

  it('gets one, and says that there is none', async () => {
    expect(await host.client.tools.get('add-one')).toMatchObject({ name: 'add-one', version: '2.0.0', author: 'me' });
    expect(await refusal(host.client.tools.get('no such tool'))).toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });

  it('searches with filters', async () => {
    const found = await host.client.tools.search('adds', { filters: { tags: ['units'] }, limit: 5 });

    expect(found).toMatchObject({ query: 'adds', results: [{ name: 'add-one' }], total: 1 });
  });

  it.each([
    ['add-one', { a: 1 }, 2],
    ['gives-object', {}, { a: [1, null] }],
    ['gives-nothing', {}, undefined],
  ])('calls %s with %j', async (name, parameters, result) => {
    expect(await host.client.tools.call(name, parameters)).toEqual(result);
  });

  it('ends the tool when the call is aborted', async () => {
    begun = Promise.withResolvers();
    const leaving = new AbortController();
    const refused = refusal(host.client.tools.call('waits', {}, { signal: leaving.signal }));
    const signal = await begun.promise;
    leaving.abort();

    expect(await refused).toMatchObject({ name: 'AbortError', code: 'ABORTED', statusCode: 499 });
    await new Promise((resolve) => (signal!.aborted ? resolve(0) : signal!.addEventListener('abort', resolve)));
  });

  it('ends with the signal of the client', async () => {
    const client = host.clientWith({ signal: AbortSignal.abort() });

    expect(await refusal(client.tools.list({ signal: new AbortController().signal }))).toMatchObject({
      code: 'ABORTED',
    });
  });

  it('talks to an app without a port', async () => {
    const app = createApp({ registry: toolsOf() });
    const fetch = async (url: string | URL | Request, init?: RequestInit) => await app.request(url, init);
    const client = createClient({ baseUrl: 'http://localhost', fetch });

    expect(await client.tools.call('add-one', { a: 2 })).toBe(3);
  });
});

describe('the errors of the server', () => {
  it.each<[string, object, object, object]>([
    ['add-one', { a: 'x' }, {}, { code: 'VALIDATION_ERROR', statusCode: 400 }],
    ['no-such', {}, {}, { code: 'TOOL_NOT_FOUND', statusCode: 404, message: 'Tool not found: no-such' }],
    ['is-off', { a: 1 }, {}, { code: 'TOOL_DISABLED', statusCode: 403 }],
    ['is-slow', {}, { timeout: 5 }, { code: 'TIMEOUT', statusCode: 408, outcome: 'unknown' }],
    ['fails-foreign', {}, {}, { code: 'TOOL_EXECUTION_ERROR', statusCode: 500 }],
    ['fails-with-status', {}, {}, { code: 'UPSTREAM', statusCode: 502 }],
    ['fails-with-teapot', {}, {}, { code: 'TEAPOT', statusCode: 418, message: 'no coffee' }],
    ['gives-bigint', {}, {}, { code: 'TOOL_EXECUTION_ERROR', statusCode: 500 }],
  ])('of %s with %j are thrown with their code, status and request', async (name, parameters, options, expected) => {
    const error = await refusal(host.client.tools.call(name, parameters as Record<string, unknown>, options));

    expect(error).toBeInstanceOf(HttpError);
    expect(isAgentError(error)).toBe(true);
    expect(error).toMatchObject({ ...expected, requestId: expect.any(String) });
  });

  it('have the faults of the request', async () => {
    const error = await refusal(
      host.client.tools
        .search('x', { filters: { category: 'a', tags: ['b'] }, limit: 1 })
        .then(() => host.client.tools.search(7 as never)),
    );

    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', statusCode: 400, details: [{ path: '/query' }] });
    const { message, details } = error as HttpError; // safe: it was looked at
    expect(message).toBe(`Validation failed: ${details?.[0]?.message}`); // a log shows the message alone
  });

  it.each([
    [{ token: 'wrong' }, { code: 'AUTHENTICATION_ERROR', statusCode: 401 }],
    [{ baseUrl: 'PORT/nowhere/' }, { code: 'NOT_FOUND', statusCode: 404 }],
  ])('of a client with %j', async ({ baseUrl, ...options }: { baseUrl?: string; token?: string }, expected) => {
    const place = baseUrl ? { baseUrl: baseUrl.replace('PORT', host.server.url) } : {};

    expect(await refusal(host.clientWith({ ...options, ...place }).tools.list())).toMatchObject(expected);
  });

  it('say when to come again', async () => {
    await using limited = await clientHost({}, { rateLimit: { max: 1, timeWindow: 60_000 } });
    await limited.client.tools.list();

    const error = await refusal(limited.client.tools.list());

    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', statusCode: 429, retryAfter: 60 });
  });

  it('of too large a body', async () => {
    await using small = await clientHost({}, { maxBodyBytes: 100 });

    expect(await refusal(small.client.tools.call('add-one', { a: 'x'.repeat(200) }))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      statusCode: 413,
    });
  });
});

describe('what is no answer of the server', () => {
  const answering = (answer: () => Response | Promise<Response>) =>
    createClient({ baseUrl: 'http://localhost/', fetch: async () => await answer() });

  it.each<[string, () => Response, number]>([
    ['HTML', () => new Response('<html>'), 500],
    ['a text', () => new Response('"ok"'), 500],
    ['a list', () => new Response('[]'), 500],
    ['nothing', () => new Response(null, { status: 204 }), 500],
    ['an error page', () => new Response('<html>', { status: 404 }), 404],
    ['an error of another API', () => Response.json({ message: 'no' }, { status: 503 }), 503],
  ])('is an error of its own: %s', async (_, answer, statusCode) => {
    expect(await refusal(answering(answer).tools.list())).toMatchObject({ code: 'INVALID_ANSWER', statusCode });
  });

  it.each(['-5', 'soon', 'Infinity'])('is a time to wait of %s: the error has none', async (time) => {
    const body = { success: false, error: 'Later', code: 'RATE_LIMIT_EXCEEDED' };
    const busy = answering(() => Response.json(body, { status: 429, headers: { 'retry-after': time } }));

    expect(await refusal(busy.tools.list())).not.toHaveProperty('retryAfter');
  });

  it('is a connection that cannot be made, or ends', async () => {
    await using gone = await clientHost();
    await gone.server.close();
    const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) });
    const expected = { name: 'HttpError', code: 'CONNECTION_FAILED', statusCode: 503, cause: expect.any(TypeError) };

    expect(await refusal(gone.client.tools.list())).toMatchObject(expected);
    expect(await refusal(answering(() => new Response(cut)).tools.list())).toMatchObject(expected);
  });

  it('is a redirect: the token is for one server', async () => {
    const { createServer } = await import('node:http');
    const server = createServer((_, answer) => answer.writeHead(302, { location: host.server.url }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };

    expect(await refusal(host.clientWith({ baseUrl: `http://127.0.0.1:${port}` }).tools.list())).toMatchObject({
      code: 'CONNECTION_FAILED',
    });
    server.close();
  });
});

describe('options', () => {
  const refused = (act: () => unknown) =>
    refusal((async () => await act())()) as Promise<{ readonly name: string; readonly message: string }>;

  it.each<[string, () => unknown]>([
    ['url', () => createClient({ baseUrl: 'http://a', url: 1 } as never)],
    ['pages', () => host.client.tools.list({ pages: 1 } as never)],
    ['retries', () => host.client.tools.call('add-one', {}, { retries: 1 } as never)],
    ['tags', () => host.client.tools.search('x', { tags: [] } as never)],
    ['cwd', () => host.client.sessions.create({ cwd: '/' } as never)],
    ['after', () => host.client.sessions.list({ after: '' } as never)],
    ['lastEventId', () => host.client.sessions.open('s').events({ lastEventId: '' } as never)],
    ['run', () => host.client.sessions.open('s').stream({ run: '' } as never)],
    ['key', () => host.client.sessions.open('s').send('x', { key: '' } as never)],
    ['to', () => host.client.sessions.open('s').rewind({ to: '' } as never)],
    ['copyRules', () => host.client.sessions.open('s').fork({ copyRules: true } as never)],
    ['limits', () => host.client.sessions.open('s').messages({ limits: 1 } as never)],
    ['force', () => host.client.sessions.open('s').close({ force: true } as never)],
  ])('refuses %s, which is unknown', async (name, act) => {
    expect(await refused(act)).toMatchObject({
      name: 'ValidationError',
      message: expect.stringContaining(`unknown ${name}`),
    });
  });

  it.each<[string, () => unknown]>([
    ['no address', () => createClient({} as never)],
    ['a relative address', () => createClient({ baseUrl: '/api' })],
    ['a user in the address', () => createClient({ baseUrl: 'http://a:b@c' })],
    ['a token with a line', () => createClient({ baseUrl: 'http://a', token: 'a\nb' })],
    ['a name that is a path', () => host.client.tools.get('..')],
    ['an id that is a path', () => host.client.sessions.open('../tools')],
    ['a value that is no JSON', () => host.client.tools.call('add-one', { a: 1n })],
  ])('refuses %s', async (_, act) => {
    expect(await refused(act)).toMatchObject({ name: 'ValidationError' });
  });
});
