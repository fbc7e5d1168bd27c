import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolNameOf } from '../src/definitions/tool-name.ts';
import type { McpNotice } from '../src/index.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const tool = (name: string, more: object = {}) => ({
  name,
  description: 'Does.',
  inputSchema: { type: 'object' },
  ...more,
});

describe('a hub', () => {
  it('waits for nobody when it is made, and for each server once in ready (M19)', async () => {
    const hub = hubOf({
      gone: { command: '/nowhere/there' },
      hangs: stdio({ hang: true }),
      quits: { command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] },
      works: stdio(),
    });
    const state = (name: string) => hub.status().find((one) => one.name === name);

    expect(hub.status().map(({ status }) => status)).toEqual(Array(4).fill('connecting'));
    await hub.ready({ timeoutMs: 700 });

    expect(state('hangs')).toMatchObject({ status: 'connecting', toolCount: 0 });
    await until(() => state('works')!.status === 'connected');
    expect(state('gone')).toMatchObject({ status: 'error', error: expect.stringContaining('ENOENT') });
    expect(state('quits')).toMatchObject({ status: 'error', error: expect.stringMatching(/code 3; .*: no key$/) });
    expect(await called(toolOf(hub, 'mcp__works__echo'), { text: 'x' })).toMatchObject({ output: 'x' });
  });

  it('ready ends when its signal is aborted (M19)', async () => {
    const hub = hubOf({ hangs: stdio({ hang: true }) });

    await expect(hub.ready({ signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('shows every state of a server (M02, M22)', async () => {
    const hub = hubOf({ a: stdio() });
    const before = hub.status();
    await hub.ready();
    const connected = hub.status();
    await hub.disconnect('a');
    const left = hub.status();

    expect(before).toEqual([{ name: 'a', status: 'connecting', toolCount: 0, tools: [] }]);
    expect(connected).toEqual([
      {
        name: 'a',
        status: 'connected',
        toolCount: 10,
        tools: expect.arrayContaining(['echo']),
        connectedAt: expect.any(Date),
      },
    ]);
    expect(left).toEqual([{ name: 'a', status: 'disconnected', toolCount: 0, tools: [] }]);
    const broken = hubOf({ b: { command: '/nowhere' } });
    await broken.ready();
    expect(broken.status()).toMatchObject([{ status: 'error', error: expect.any(String) }]);
  });

  it('lists tools with both their names (M03, M22)', async () => {
    const hub = hubOf({ a: stdio({ tools: [tool('get/it')] }) });
    await hub.ready();

    expect(hub.listTools()).toEqual([
      { name: 'get/it', description: 'Does.', serverName: 'a', toolName: 'mcp__a__get_it', approved: true },
    ]);
  });

  it('acts on one server by its name (M04, M09)', async () => {
    const journal = join(folder(), 'journal');
    const hub = hubOf({ a: stdio({ journal }), b: stdio() });
    await hub.ready();
    const kept = toolOf(hub, 'mcp__a__echo');

    await hub.disconnect('a');
    const without = hub.tools();
    const refused = await called(kept, { text: 'x' });
    await hub.connect('a');

    expect(without.map(({ name }) => name).filter((name) => name.startsWith('mcp__a'))).toEqual([]);
    expect(refused).toMatchObject({ isError: true, output: expect.stringContaining('it is disconnected') });
    expect(linesOf(journal)).not.toContain('call echo');
    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'x' })).toMatchObject({ output: 'x' });
    await hub.reconnect('a');
    expect(linesOf(journal).filter((line) => line.startsWith('start'))).toHaveLength(3);
  });

  it('refuses a name that it does not know, and all once it is closed (M04)', async () => {
    const hub = hubOf({ a: stdio() });
    const unknown = {
      name: 'McpError',
      errorType: 'CONFIG_ERROR',
      serverName: 'x',
      message: expect.stringContaining('known: a'),
    };

    await expect(hub.connect('x')).rejects.toMatchObject(unknown);
    await expect(hub.disconnect('x')).rejects.toMatchObject(unknown);
    await expect(hub.reconnect('x')).rejects.toMatchObject(unknown);
    expect(() => hub.approve('x')).toThrow(expect.objectContaining(unknown));
    await hub.close();
    await expect(hub.connect('a')).rejects.toMatchObject({ errorType: 'CONFIG_ERROR' });
  });

  it('connect rejects for a server that cannot be started (M04)', async () => {
    const hub = hubOf({ a: { command: '/nowhere' } });

    await expect(hub.connect('a')).rejects.toMatchObject({ name: 'McpError', errorType: 'CONFIG_ERROR' });
  });

  it('offers the new list after list_changed, a storm of which costs one look (M07)', async () => {
    const journal = join(folder(), 'journal');
    const notices: McpNotice[] = [];
    const hub = hubOf({ a: stdio({ journal }) }, { onNotice: (notice) => notices.push(notice) });
    await hub.ready();
    const before = hub.tools();
    notices.length = 0;

    await called(toolOf(hub, 'mcp__a__change'), { ...tool('new'), times: 10_000 });
    await until(() => hub.tools() !== before);

    expect(hub.tools().map(({ name }) => name)).toContain('mcp__a__new');
    expect(notices).toContainEqual(expect.objectContaining({ kind: 'mcp_tools', serverName: 'a' }));
    expect(toolOf(hub, 'mcp__a__echo')).toBe(before.find(({ name }) => name === 'mcp__a__echo'));
    expect(linesOf(journal).filter((line) => line === 'list').length).toBeLessThan(10);
  });

  it('reads resources and prompts', async () => {
    const hub = hubOf({ a: stdio() });
    await hub.ready();

    expect(await hub.listResources('a')).toMatchObject([{ uri: 'mem://a' }]);
    expect(await hub.readResource('a', 'mem://a')).toEqual([{ uri: 'mem://a', text: 'A' }]);
    expect(await hub.listPrompts('a')).toMatchObject([{ name: 'hello' }]);
    expect(await hub.getPrompt('a', 'hello', { who: 'you' })).toMatchObject([{ content: { text: 'hello who=you' } }]);
  });

  it.each(['roots', 'elicit', 'sample'])('does not answer %s, unless the host says so', async (what) => {
    const hub = hubOf({ a: stdio() });
    await hub.ready();

    expect(await called(toolOf(hub, 'mcp__a__ask'), { what })).toMatchObject({ isError: true });
  });

  it('passes on to the host what servers ask', async () => {
    const logged: unknown[] = [];
    const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    const hub = hubOf(
      { a: stdio() },
      {
        handlers: {
          roots: (serverName) => [{ uri: 'file:///here', name: serverName }],
          elicit: async (_, { message }) => ({ action: 'accept', content: { colour: String(message) } }),
          sample: async () => said,
          log: (...facts) => logged.push(facts),
        },
      },
    );
    await hub.ready();
    const ask = async (what: string) => (await called(toolOf(hub, 'mcp__a__ask'), { what })).output;

    expect(JSON.parse(await ask('roots'))).toEqual([{ uri: 'file:///here', name: 'a' }]);
    expect(JSON.parse(await ask('elicit'))).toEqual({ action: 'accept', content: { colour: 'Which colour?' } });
    expect(JSON.parse(await ask('sample'))).toMatchObject(said);
    await ask('log');
    expect(logged).toEqual([['a', { level: 'info', logger: 'plain', data: { a: 1 } }]]);
  });

  it('has servers of this process too', async () => {
    const instance = new McpServer({ name: 'own', version: '1.0.0' });
    instance.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    const hub = hubOf({ own: { type: 'sdk', instance } });
    await hub.ready();

    expect(await called(toolOf(hub, 'mcp__own__add'), { a: 1, b: 2 })).toMatchObject({ output: '3' });
    await hub.reconnect('own');
    expect(await called(toolOf(hub, 'mcp__own__add'), { a: 1, b: 2 })).toMatchObject({ output: '3' });
  });

  it('lets the host change how a server is started', async () => {
    const hub = hubOf(
      { a: stdio() },
      { launch: (launch) => ({ ...launch, argv: ['/usr/bin/env', 'IN_A_BOX=1', ...launch.argv] }) },
    );
    await hub.ready();

    expect((await called(toolOf(hub, 'mcp__a__place'))).output).toContain('"IN_A_BOX":"1"');
  });
});

describe('tools of a hub', () => {
  it('have clean and short names; equal ones are left out and reported (M12, M21)', async () => {
    const long = 'x'.repeat(100);
    const hub = hubOf({ a: stdio({ tools: [tool('a.b'), tool('a/b'), tool('ok'), tool(long), tool(`${long}y`)] }) });
    await hub.ready();

    const names = hub.tools().map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(names[0]).toBe('mcp__a__ok');
    expect(names[1]).toMatch(/^mcp__a__x{47}_[0-9a-f]{8}$/);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(hub.status()[0]!.problems).toMatchObject([{ kind: 'equal', message: expect.stringContaining('a.b, a/b') }]);
  });

  it('of two servers that would get one name are left out, too (M12)', async () => {
    const [one, other] = ['s'.repeat(60), 's'.repeat(61)];
    const names = Array.from({ length: 200_000 }, (_, index) => `t${index}`);
    const ofOne = new Map(names.map((name) => [toolNameOf(one, name), name]));
    const second = names.find((name) => ofOne.has(toolNameOf(other, name)))!; // by the odds of birthdays there is one
    const first = ofOne.get(toolNameOf(other, second))!;
    const hub = hubOf({
      [one]: stdio({ tools: [tool(first), tool('ok')] }),
      [other]: stdio({ tools: [tool(second)] }),
    });
    await hub.ready();

    expect(hub.tools()).toHaveLength(1);
    expect(hub.status()).toMatchObject([
      { toolCount: 1, problems: [{ kind: 'equal' }] },
      { toolCount: 0, problems: [{ kind: 'equal' }] },
    ]);
  });

  it('are left out when their schema is broken, and the others work (M13)', async () => {
    const notices: McpNotice[] = [];
    const tools = [
      tool('remote', { inputSchema: { type: 'object', properties: { a: { $ref: 'http://x/y.json' } } } }),
      tool('circle', { inputSchema: { type: 'object', $ref: '#' } }),
      tool('kind', { inputSchema: { type: 'array' } }),
      tool('ok', { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' } }),
    ];
    const hub = hubOf({ a: stdio({ tools }) }, { onNotice: (notice) => notices.push(notice) });
    await hub.ready();

    expect(hub.tools().map(({ name }) => name)).toEqual(['mcp__a__ok']);
    expect(hub.status()[0]!.problems).toMatchObject(
      ['remote', 'circle', 'kind'].map((name) => ({ kind: 'left_out', name })),
    );
    expect(notices.filter(({ kind }) => kind === 'mcp_problem')).toHaveLength(3);
  });

  it('judge their arguments as the schema says (M25)', async () => {
    const properties = { a: { type: 'number' } };
    const tools = [
      tool('open', { inputSchema: { type: 'object', properties } }),
      tool('shut', { inputSchema: { type: 'object', properties, additionalProperties: false } }),
    ];
    const hub = hubOf({ a: stdio({ tools }) });
    await hub.ready();
    const { inputSchema: open } = toolOf(hub, 'mcp__a__open');
    const { inputSchema: shut } = toolOf(hub, 'mcp__a__shut');

    expect(open.parse({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    expect(open.closed).toBeUndefined();
    expect(() => open.parse({ a: 'x' })).toThrow('a');
    expect(() => shut.parse({ a: 1, b: 2 })).toThrow('b');
  });

  it('are execute, unless their server is trusted and says readOnlyHint (M24)', async () => {
    const hub = hubOf({ a: stdio(), b: stdio({}, { trusted: true }) });
    await hub.ready();
    const facts = (name: string) => {
      const { kind, effect, parallelSafe } = toolOf(hub, name);
      return [kind, effect, parallelSafe];
    };

    expect(facts('mcp__a__picture')).toEqual(['execute', 'non_idempotent', false]);
    expect(facts('mcp__b__picture')).toEqual(['readonly', 'pure', true]);
    expect(facts('mcp__b__echo')).toEqual(['execute', 'non_idempotent', false]);
  });

  it('have descriptions without what is not seen', async () => {
    const description = 'Adds\u200b \u202etwo\u{e0041}\u{e0042} numbers\u0007.';
    const inputSchema = { type: 'object', properties: { a: { type: 'number', description } } };
    const hub = hubOf({ a: stdio({ tools: [tool('add', { description, inputSchema })] }) });
    await hub.ready();
    const { description: shown, inputSchema: schema } = toolOf(hub, 'mcp__a__add');

    expect(shown).toBe('Adds two numbers.');
    expect(schema.json).toMatchObject({ properties: { a: { description: 'Adds two numbers.' } } });
  });
});
