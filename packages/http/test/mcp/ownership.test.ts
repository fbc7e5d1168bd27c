import { once } from 'node:events';
import { ToolRegistry } from '@x/registry';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp, createServer } from '../../src/index.ts';
import { INITIALIZE, McpWorld, RawClient } from '../support/mcp-clients.ts';
import { toolsOf } from '../support/served.ts';

const world = new McpWorld();
afterEach(async () => await world.end());

const PING = { jsonrpc: '2.0', id: 5, method: 'ping' };
const ANSWERED = { jsonrpc: '2.0', id: 5, result: {} };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the option mcp', () => {
  it('is off without being asked for', async () => {
    const payload = INITIALIZE;
    const answers = await Promise.all(
      [{}, { mcp: false }].map(async (options) => {
        const server = await createServer(options);
        return (await server.inject({ method: 'POST', url: '/mcp', payload })).statusCode;
      }),
    );

    expect(answers).toEqual([404, 404]);
  });

  it('is mounted with the app, wherever that is', async () => {
    const app = createApp({ registry: toolsOf(), mcp: {} });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const init = { method: 'POST', headers, body: JSON.stringify(INITIALIZE) };

    const answer = await app.fetch(new Request('http://localhost/mcp', init));

    expect(await answer.json()).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } });
  });
});

describe('a page of a browser', () => {
  const cors = { enabled: true, origin: 'https://a.example' };
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'DELETE' };

  it.each([
    [true, 'GET,HEAD,POST,DELETE', /Mcp-Session-Id/],
    [false, 'GET,HEAD,POST', /^(?!.*Mcp)/],
  ])('may keep a conversation where mcp is %s, if it is on the list', async (mcp, methods, headers) => {
    const server = await createServer({ cors, mcp, token: 'secret' });

    const asked = await server.inject({ method: 'OPTIONS', url: '/mcp', headers: preflight });
    const answer = await server.inject({ method: 'GET', url: '/', headers: { origin: 'https://a.example' } });

    expect(asked.headers['access-control-allow-methods']).toBe(methods);
    expect(asked.headers['access-control-allow-headers']).toMatch(headers);
    expect(answer.headers['access-control-expose-headers']).toMatch(headers);
  });
});

describe('a conversation', () => {
  it('H48 is known to the name whose token has begun it, and to nobody else', async () => {
    const tokens = [
      { name: 'ann', token: 'ann-1' },
      { name: 'ann', token: 'ann-2' },
      { name: 'bob', token: 'bob-1' },
    ];
    const server = await world.serve({ tokens });
    const ann = await new RawClient(server, bearer('ann-1')).begin();
    const renewed = new RawClient(server, bearer('ann-2'));
    const bob = new RawClient(server, bearer('bob-1'));
    renewed.session = ann.session;
    bob.session = ann.session;

    const [known, stranger, unknown] = [
      await renewed.send(PING),
      await bob.send(PING),
      await ann.send(PING, { 'mcp-session-id': 'x' }),
    ];

    expect(known.json).toEqual(ANSWERED);
    expect([stranger.status, unknown.status]).toEqual([404, 404]);
    expect(stranger.text).toBe(unknown.text);
    expect([(await bob.leave()).status, (await bob.listen()).status]).toEqual([404, 404]);
    expect((await ann.send(PING)).json).toEqual(ANSWERED); // bob has ended nothing
    expect((await ann.leave()).status).toBe(200);
    expect((await ann.send(PING)).status).toBe(404);
  });

  it('ends when it was idle for long', async () => {
    const client = await new RawClient(await world.serve({ mcp: { sessionIdleMs: 40 } })).begin();

    await expect.poll(async () => (await client.send(PING)).status, { interval: 80 }).toBe(404);
  });

  it('gives room to a newer one when it is idle, and keeps it while it is busy', async () => {
    const server = await world.serve({ mcp: { maxSessions: 2 } });
    const [first, second] = [await new RawClient(server).begin(), await new RawClient(server).begin()];
    const leaving = new AbortController();
    await first.listen({}, leaving.signal);

    const third = await new RawClient(server).begin();
    await third.listen({}, leaving.signal);
    const fourth = await new RawClient(server).send(INITIALIZE);

    expect([(await second.send(PING)).status, (await first.send(PING)).status]).toEqual([404, 200]);
    expect([fourth.status, fourth.json]).toMatchObject([429, { error: { data: { code: 'RATE_LIMIT_EXCEEDED' } } }]);
    leaving.abort();
  });

  it('does not take the room of another name', async () => {
    const tokens = [
      { name: 'ann', token: 'ann-1' },
      { name: 'bob', token: 'bob-1' },
    ];
    const server = await world.serve({ tokens, mcp: { maxSessions: 1 } });
    const ann = await new RawClient(server, bearer('ann-1')).begin();
    for (let n = 0; n < 3; n += 1) await new RawClient(server, bearer('bob-1')).begin();

    expect((await ann.send(PING)).json).toEqual(ANSWERED);
  });

  it('has one stream: a second one ends the first', async () => {
    const client = await new RawClient(await world.serve()).begin();
    const first = (await client.listen()).text();
    const leaving = new AbortController();
    const second = await client.listen({}, leaving.signal);

    expect(await first).toBe(': open\n\n');
    expect(second.status).toBe(200);
    leaving.abort();
  });

  it('ends with the server: its stream, and its calls', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const registry = new ToolRegistry();
    registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, context) => {
      begun.resolve(context!.signal!);
      await once(context!.signal!, 'abort');
    });
    const server = await world.serve({ registry, closeTimeout: 30_000 });
    const client = await new RawClient(server).begin();
    const stream = (await client.listen()).text();
    const call = client.call('waits');
    const signal = await begun.promise;
    const start = performance.now();

    await server.close();

    expect(await stream).toBe(': open\n\n');
    expect([signal.aborted, (await call).text]).toEqual([true, '']);
    expect(performance.now() - start).toBeLessThan(20_000); // the connections were waited for, not cut
  });

  it('has its call ended when the client goes away, with progress or without', async () => {
    const signals: AbortSignal[] = [];
    const registry = new ToolRegistry();
    registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, context) => {
      signals.push(context!.signal!);
      await once(context!.signal!, 'abort');
    });
    const client = await new RawClient(await world.serve({ registry })).begin();
    const leaving = new AbortController();
    const ask = (id: number, _meta: object) =>
      client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'waits', _meta } }, {}, leaving.signal);

    const calls = [ask(1, {}), ask(2, { progressToken: 'p' })].map((call) => call.catch(() => 'gone'));
    await expect.poll(() => signals.length).toBe(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    leaving.abort();

    expect(await Promise.all(calls)).toEqual(['gone', 'gone']);
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
