import { ToolRegistry } from '@x/registry';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from '../../src/index.ts';
import { INITIALIZE, McpWorld, RawClient } from '../support/mcp-clients.ts';
import { toolsOf } from '../support/served.ts';

const world = new McpWorld();
afterEach(async () => await world.end());

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const callOf = (input: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"counts","arguments":${input}}}`;

/** A tool that counts its calls. */
function counting() {
  const runs: unknown[] = [];
  const registry = new ToolRegistry();
  registry.add({
    name: 'counts',
    description: 'Counts its calls',
    inputSchema: { type: 'object', additionalProperties: true },
    execute: async (input) => runs.push(input),
  });
  return { registry, runs };
}

describe('a message that is refused', () => {
  it.each<[string, string, number, number]>([
    ['no JSON', '{"jsonrpc":', 400, -32_700],
    ['an empty body', '', 400, -32_700],
    ['70 levels', callOf(`{"a":${nested(70)}}`), 400, -32_700],
    ['100,000 levels', callOf(`{"a":${nested(100_000)}}`), 400, -32_700],
    [
      '20,000 keys',
      callOf(JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, 0])))),
      400,
      -32_700,
    ],
    ['the key __proto__', callOf('{"__proto__":{"polluted":true}}'), 400, -32_700],
    ['the key constructor', callOf('{"constructor":{"prototype":{"polluted":true}}}'), 400, -32_700],
    ['a batch', `[${callOf('{}')},${callOf('{}')}]`, 400, -32_600],
    ['an empty batch', '[]', 400, -32_600],
    ['a number', '7', 400, -32_600],
    ['null', 'null', 400, -32_600],
    ['another version of JSON-RPC', callOf('{}').replace('2.0', '1.0'), 400, -32_600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 400, -32_600],
    ['a method that is no text', callOf('{}').replace('"tools/call"', '7'), 400, -32_600],
    ['an id that is null', callOf('{}').replace('"id":1', '"id":null'), 400, -32_600],
    ['an id that is an object', callOf('{}').replace('"id":1', '"id":{}'), 400, -32_600],
    ['an id with a fraction', callOf('{}').replace('"id":1', '"id":1.5'), 400, -32_600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 400, -32_600],
    ['no name of a tool', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32_602],
    ['arguments that are a list', callOf('[]'), 200, -32_602],
    ['arguments that are a text', callOf('"{}"'), 200, -32_602],
    ['a method that is not served', callOf('{}').replace('tools/call', 'resources/list'), 200, -32_601],
    ['a method of every object', callOf('{}').replace('tools/call', 'constructor'), 200, -32_601],
  ])('because of %s runs nothing', async (_, body, status, code) => {
    const { registry, runs } = counting();
    const client = await new RawClient(await world.serve({ registry })).begin();

    const answer = await client.send(body);

    expect([answer.status, answer.json]).toMatchObject([status, { jsonrpc: '2.0', error: { code } }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(runs).toEqual([]);
    expect((await client.send(callOf('{"deep":{}}'))).status).toBe(200); // negative control: it could run
    expect(runs).toEqual([{ deep: {} }]);
  });

  it('has neither Host, Origin, token, type nor size as the other routes want them', async () => {
    const { registry, runs } = counting();
    const guarded = await world.serve({ registry, token: 'secret' });
    const open = await world.serve({ registry });
    const client = await new RawClient(open).begin();
    const statusWith = async (headers: Record<string, string>, body = callOf('{}')) =>
      (await client.send(body, headers)).status;

    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith({ 'content-type': 'text/plain' })).toBe(415);
    expect(await statusWith({ 'content-type': 'application/json', 'content-encoding': 'gzip' })).toBe(415);
    expect(await statusWith({}, callOf(`"${'x'.repeat(10 * 1024 * 1024)}"`))).toBe(413);
    expect(await statusWith({ accept: 'application/json' })).toBe(406);
    expect(await statusWith({ accept: 'text/event-stream' })).toBe(406);
    expect((await new RawClient(guarded).send(INITIALIZE)).status).toBe(401);
    expect((await new RawClient(guarded, { authorization: 'Bearer wrong' }).listen()).status).toBe(401);
    expect(runs).toEqual([]);
    expect(await statusWith({ accept: '*/*' })).toBe(200); // negative control
    expect(runs).toHaveLength(1);
  });

  it('ZH01a names another host', async () => {
    const server = await createServer({ mcp: true });
    const headers = { host: 'evil.example', accept: 'application/json, text/event-stream' };

    const answer = await server.inject({ method: 'POST', url: '/mcp', headers, payload: INITIALIZE });

    expect([answer.statusCode, answer.json().code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  it('H29 is one too many', async () => {
    const server = await world.serve({ rateLimit: { max: 2, timeWindow: 60_000 } });
    const client = await new RawClient(server).begin();

    const statuses = [(await client.send(callOf('{}'))).status, (await client.send(callOf('{}'))).status];

    expect(statuses).toEqual([200, 429]);
  });
});

describe('a conversation that is wrong', () => {
  it('is answered with what is wrong with it', async () => {
    const server = await world.serve();
    const client = await new RawClient(server).begin();
    const stranger = new RawClient(server);
    const said = async (headers: Record<string, string>, from = client) => {
      const { status, json } = await from.send(callOf('{}'), headers);
      return [status, json.error.code];
    };

    expect(await said({}, stranger)).toEqual([400, -32_000]);
    expect(await said({ 'mcp-session-id': 'x'.repeat(5_000) })).toEqual([404, -32_001]);
    expect(await said({ 'mcp-session-id': '__proto__' })).toEqual([404, -32_001]);
    expect(await said({ 'mcp-protocol-version': '1999-01-01' })).toEqual([400, -32_000]);
    expect((await client.send(INITIALIZE)).json).toMatchObject({ error: { code: -32_600 } });
    expect((await stranger.send({ ...INITIALIZE, params: {} })).json).toMatchObject({ error: { code: -32_602 } });
    expect((await stranger.listen()).status).toBe(400);
    expect((await client.listen({ accept: 'text/html' })).status).toBe(406);
    expect((await client.send(callOf('{}'), { 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
  });

  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2999-01-01', '2025-11-25'],
    ['x', '2025-11-25'],
  ])('that asks for version %s gets %s', async (protocolVersion, given) => {
    const client = new RawClient(await world.serve());

    const { json } = await client.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } });

    expect(json.result.protocolVersion).toBe(given);
  });

  it.each(['PUT', 'PATCH', 'OPTIONS'])('by %s is 405', async (method) => {
    const server = await createServer({ mcp: true });

    const answer = await server.inject({ method, url: '/mcp', payload: method === 'OPTIONS' ? undefined : {} });

    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET, POST, DELETE']);
  });

  it('takes notifications and answers, whatever they are, and does nothing', async () => {
    const client = await new RawClient(await world.serve()).begin();
    const sent = async (message: object) => await client.send({ jsonrpc: '2.0', ...message });
    const messages = [
      { method: 'notifications/initialized' },
      { method: 'notifications/cancelled' },
      { method: 'notifications/cancelled', params: { requestId: 'unknown' } },
      { method: 'tools/call', params: { name: 'add-one', arguments: { a: 1 } } },
      { id: 1, result: {} },
      { id: 1, error: { code: 1, message: 'no' } },
    ];

    for (const message of messages) expect(await sent(message)).toMatchObject({ status: 202, text: '' });
  });
});

describe('a client that wants much', () => {
  it('has 64 calls at the same time at most, each with an id of its own', async () => {
    const begun: (() => void)[] = [];
    const registry = new ToolRegistry();
    registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async () => {
      await new Promise<void>((resolve) => begun.push(resolve));
      return 'done';
    });
    const client = await new RawClient(await world.serve({ registry })).begin();
    const ask = (id: number) => client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'waits' } });
    const running = Array.from({ length: 64 }, (_, n) => ask(n));
    await expect.poll(() => begun.length).toBe(64);

    const [same, further] = [await ask(5), await ask(64)];
    expect(same.json).toMatchObject({ error: { code: -32_600 } });
    expect(further.json).toMatchObject({ error: { data: { code: 'RATE_LIMIT_EXCEEDED' } } });
    for (const end of begun) end();
    const answers = await Promise.all(running);

    expect(answers.every(({ json }) => json.result.content[0].text === 'done')).toBe(true);
    const again = ask(64);
    await expect.poll(() => begun.length).toBe(65);
    begun.at(-1)!();
    expect((await again).json.id).toBe(64);
  });

  it('keeps no more than the last of its progress waiting when it does not read', async () => {
    const told = Promise.withResolvers<void>();
    const registry = toolsOf();
    registry.register({ name: 'chats', description: 'Chats', parameters: [] }, async (_, context) => {
      for (let n = 0; n < 20_000; n += 1) context?.onProgress?.(`${n} ${'x'.repeat(5_000)}`);
      told.resolve();
      return 'done';
    });
    const client = await new RawClient(await world.serve({ registry })).begin();

    const { text } = await client.call('chats', {}, { _meta: { progressToken: 't' } });
    await told.promise;

    const events = text.split('\n\n').filter((part) => part.startsWith('event: message'));
    expect(events.length).toBeLessThanOrEqual(101);
    expect(events.at(-1)).toContain('"done"');
    expect(events.at(-2)).toContain('"progress":20000');
    expect(text.length).toBeLessThan(150_000);
  });
});
