import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventStream, listen, streamable } from './support/http-servers.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf, until } from './support/hubs.ts';

afterEach(closeAll);

const KINDS = [
  ['http', streamable, 'M01c'],
  ['sse', eventStream, 'M01b'],
] as const;

describe.each(KINDS)('a server of the type %s', (type, serve, id) => {
  it(`answers calls, with the headers on every request (${id})`, async () => {
    const { url, requests } = await serve();
    const hub = hubOf({ a: { type, url, headers: { Authorization: 'Bearer t', 'X-Own': '1' } } });
    await hub.ready();

    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'hi' })).toMatchObject({ output: 'hi' });
    expect((await called(toolOf(hub, 'mcp__a__steps'))).progress).toHaveLength(2);
    expect(requests.map(({ method }) => method)).toEqual(expect.arrayContaining(['GET', 'POST']));
    for (const { headers } of requests) expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-own': '1' });
  });

  it('is told of an abort (M08)', async () => {
    const journal = join(folder(), 'journal');
    const { url } = await serve({ journal });
    const hub = hubOf({ a: { type, url } });
    await hub.ready();
    const end = new AbortController();

    const call = called(toolOf(hub, 'mcp__a__wait'), {}, end.signal);
    await until(() => linesOf(journal).includes('call wait'));
    end.abort();

    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await until(() => linesOf(journal).includes('cancelled'));
  });

  it('offers a new list after list_changed (M07)', async () => {
    const { url } = await serve();
    const hub = hubOf({ a: { type, url } });
    await hub.ready();
    const before = hub.tools();

    await called(toolOf(hub, 'mcp__a__change'), { name: 'new', inputSchema: { type: 'object' } });

    await until(() => hub.tools() !== before);
    expect(hub.tools().map(({ name }) => name)).toContain('mcp__a__new');
  });

  it('that ends is not connected until it is there again, and is found by itself (M05, M15, M26)', async () => {
    const first = await serve();
    const hub = hubOf({ a: { type, url: first.url } }, { reconnect: { attempts: 1_000, pingMs: 20 } });
    await hub.ready();
    const state = () => hub.status()[0]!;

    await first.stop();
    await until(() => state().status !== 'connected');
    const whileGone = state();
    await serve({}, first.port);
    await until(() => state().status === 'connected');

    expect(whileGone.error).toBeDefined();
    expect(state()).not.toHaveProperty('error');
    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'hi' })).toMatchObject({ output: 'hi' });
  });

  it('that is not there is an error with the reason, and is tried again (M05)', async () => {
    const { url, stop } = await listen(() => undefined);
    await stop();
    const hub = hubOf({ a: { type, url } });
    await hub.ready();

    expect(hub.status()[0]!.error).toContain('ECONNREFUSED');
  });

  it('gets no credentials over a redirect to another origin', async () => {
    const seen: string[] = [];
    const other = await listen((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.writeHead(500).end();
    });
    const { url } = await listen((_, response) => response.writeHead(307, { location: other.url }).end());
    const hub = hubOf({ a: { type, url, headers: { Authorization: 'Bearer t' } } });
    await hub.ready();

    expect(hub.status()[0]).toMatchObject({ error: expect.stringContaining('redirect') });
    expect(seen).toEqual([]);
  });

  it('on a link-local address is refused, unless that is allowed', async () => {
    const config = { type, url: 'http://169.254.1.1:9/mcp', connectTimeoutMs: 100 };
    const hub = hubOf({ a: config, b: { ...config, allowLinkLocal: true } });
    await hub.ready();

    expect(hub.status()[0]).toMatchObject({ error: expect.stringContaining('must not be reached') });
    expect(hub.status()[1]!.error).not.toContain('must not be reached');
  });

  it('that never answers costs its own time alone (M19)', async () => {
    const { url } = await listen(() => undefined);
    const hub = hubOf({ a: { type, url, connectTimeoutMs: 50 } });
    await hub.ready();

    expect(hub.status()[0]).toMatchObject({ error: expect.stringMatching(/no answer within 50 ms|timed out/) });
  });
});

describe('a session over HTTP', () => {
  it('that the server has forgotten is begun again once, and the call made there (M15)', async () => {
    const server = await streamable();
    const hub = hubOf({ a: { type: 'http', url: server.url } });
    await hub.ready();
    const echo = toolOf(hub, 'mcp__a__echo');

    server.forget();

    expect(await called(echo, { text: 'hi' })).toMatchObject({ output: 'hi', isError: false });
    expect(hub.status()).toMatchObject([{ status: 'connected' }]);
  });

  it('that is forgotten at once again makes an error result (M15)', async () => {
    const { url } = await streamable({ isForgetful: true });
    const hub = hubOf({ a: { type: 'http', url } });
    await hub.ready();

    const result = await called(toolOf(hub, 'mcp__a__echo'), { text: 'hi' });

    expect(result).toMatchObject({ isError: true });
  });

  it('is given back to the server when the hub is closed (M10)', async () => {
    const { url, requests } = await streamable();
    const hub = hubOf({ a: { type: 'http', url } });
    await hub.ready();

    await hub.close();

    expect(requests.at(-1)).toMatchObject({ method: 'DELETE' });
  });

  it('with a wrong key is an AUTH_ERROR', async () => {
    const { url } = await listen((_, response) => response.writeHead(401).end('no'));
    const hub = hubOf({ a: { type: 'http', url } });

    await expect(hub.connect('a')).rejects.toMatchObject({ errorType: 'AUTH_ERROR' });
  });

  it('ends at a message that is too long, and the status says so', async () => {
    const { url } = await streamable();
    const hub = hubOf({ a: { type: 'http', url } }, { limits: { maxMessageBytes: 20_000 } });
    await hub.ready();

    const result = await called(toolOf(hub, 'mcp__a__echo'), { text: 'x'.repeat(30_000) });

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('more than 20000 bytes') });
  });
});
