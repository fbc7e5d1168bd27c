import { afterEach, describe, expect, it } from 'vitest';
import { streamable } from '../../../mcp/test/support/http-servers.ts';
import { closeAll } from '../../../mcp/test/support/hubs.ts';
import { reference } from '../../../mcp/test/support/reference.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import type { SessionOptions } from '../../src/index.ts';
import { obeying } from '../support/obeying.ts';
import { workerRole } from '../support/roles.ts';

afterEach(closeAll);

const list = (offset?: number, server = 'own') => ({
  name: `mcp__${server}__list_resources`,
  input: offset === undefined ? {} : { offset },
});
const read = (uri: string, server = 'own') => ({ name: `mcp__${server}__read_resource`, input: { uri } });
const BOTH = ['mcp__own__list_resources', 'mcp__own__read_resource'];
const onlyRole = (name: string): Partial<SessionOptions> => ({
  role: workerRole({ toolGroups: ['own'] }),
  toolGroups: { own: { description: 'One.', tools: [name] } },
});
const ofResources = (names: readonly string[]) => names.filter((name) => name.includes('resource'));

describe('the resources of MCP servers', () => {
  it('are listed and read by the model, those of a reference server too', async () => {
    const { ask } = await obeying({ mcpServers: { own: reference('server-everything', ['stdio']) } });

    const [page, text] = await ask(list(), read('demo://resource/dynamic/text/7'));

    expect(page).toContain('demo://resource/static/document/');
    expect(page).toContain('demo://resource/dynamic/text/{resourceId}');
    expect(page).toMatch(/Resources 1 to (\d+) of \1\.$/);
    expect(text).toContain('Resource 7: This is a plaintext resource');
  });

  it('are listed and read over HTTP', async () => {
    const { url } = await streamable();
    const { ask } = await obeying({ mcpServers: { own: { type: 'http', url } } });

    expect(await ask(list(), read('mem://a'))).toEqual(['mem://a  a\nResources 1 to 1 of 1.', 'A']);
  });

  it('are no tools of a server without them', async () => {
    const { session, ask, offered } = await obeying({
      mcpServers: { own: stdio({ resources: false }), other: stdio() },
    });

    expect(await ask(list(), list(1, 'other'))).toEqual([
      expect.stringMatching(/^! /),
      expect.stringContaining('mem:'),
    ]);

    expect(ofResources(offered(0))).toEqual(BOTH.map((name) => name.replace('own', 'other')));
    expect((await session.mcpListTools()).filter(({ toolName }) => toolName.includes('resource'))).toMatchObject([
      { name: 'list_resources', serverName: 'other', toolName: 'mcp__other__list_resources', approved: true },
      { name: 'read_resource' },
    ]);
  });

  it('are bounded: a hundred in a list, as many bytes in a text as other results, several parts by their names', async () => {
    const { ask } = await obeying({ mcpServers: { own: stdio({ resources: 250 }) }, maxToolOutputBytes: 10_000 });

    const [first, last, past, two, large] = await ask(
      list(),
      list(201),
      list(252),
      read('mem://two'),
      read('mem://large'),
    );

    expect(first!.split('\n')).toHaveLength(101);
    expect(first).toMatch(/Resources 1 to 100 of 251\. Go on with offset 101\.$/);
    expect(last).toMatch(/Resources 201 to 251 of 251\.$/);
    expect(past).toBe('There are 251 resources; offset 252 is past them.');
    expect(two).toBe('mem://1:\n1\nmem://2:\n2');
    expect(large!.length).toBeLessThan(11_000);
  });

  it('are found and read with toolDiscovery as all tools of servers', async () => {
    const { ask, offered } = await obeying({ mcpServers: { own: stdio() }, toolDiscovery: 'always' });

    const [found, text] = await ask(
      { name: 'ToolSearch', input: { query: 'documents and records of the server' } },
      { name: 'CallTool', input: { name: BOTH[1]!, input: { uri: 'mem://a' } } },
    );

    expect(offered(0)).toEqual([]);
    expect(found).toContain('mcp__own__list_resources');
    expect(text).toBe('A');
  });

  it('that fail are error results, those of a server that was left too', async () => {
    const { session, ask, offered } = await obeying({ mcpServers: { own: stdio() } });

    expect(await ask(read('mem://none'), { name: BOTH[1]!, input: {} })).toEqual([
      expect.stringMatching(/^! .*there is no such resource/),
      expect.stringMatching(/^! .*uri/),
    ]);
    await session.mcpDisconnect('own');
    expect(await ask(read('mem://a'))).toEqual([expect.stringMatching(/^! /)]);
    expect(offered(-1)).toEqual([]);
  });

  it('leave a name to the server that has such a tool, and say so', async () => {
    const tools = [{ name: 'read_resource', description: 'Mine.', inputSchema: { type: 'object' } }];
    const { session, ask, offered } = await obeying({ mcpServers: { own: stdio({ tools }) } });
    await ask();

    const { problems } = (await session.mcpServerStatus())[0]!;
    const infos = await session.mcpListTools();

    expect(ofResources(offered(0))).toEqual(BOTH);
    expect(problems).toMatchObject([{ kind: 'equal', name: 'read_resource' }]);
    expect(infos.find(({ name }) => name === 'read_resource')).toMatchObject({ description: 'Mine.' });
  });
});

describe('guards', () => {
  it('hold for them as for any tool of a server; only trust makes them readonly (M24)', async () => {
    const mcpServers = { own: stdio(), other: stdio({}, { trusted: true }) };
    const strict = await obeying({ mcpServers, permissionMode: 'default' });
    const ruled = await obeying({ mcpServers, permissionMode: 'default', autoApprove: ['mcp__own__read_resource'] });
    const plan = await obeying({ mcpServers, permissionMode: 'plan' });

    expect(await strict.ask(read('mem://a'), read('mem://a', 'other'))).toEqual([
      expect.stringMatching(/^! .*not run/),
      'A',
    ]);
    expect(await ruled.ask(read('mem://a'), list())).toEqual(['A', expect.stringMatching(/^! .*not run/)]);
    expect(await plan.ask(read('mem://a'), read('mem://a', 'other'))).toEqual([
      expect.stringMatching(/^! .*plan/),
      'A',
    ]);
  });

  it.each<[string, Partial<SessionOptions>, readonly string[]]>([
    ['none', {}, BOTH],
    ['disallowedTools', { disallowedTools: ['mcp__own__read_resource'] }, BOTH.slice(0, 1)],
    ['disallowedTools of a whole server', { disallowedTools: ['mcp__own__*'] }, []],
    ['allowedTools', { allowedTools: ['mcp__own__read_resource'] }, BOTH.slice(1)],
    ['a role', onlyRole('mcp__own__read_resource'), BOTH.slice(1)],
    ['a role without them', onlyRole('mcp__own__echo'), []],
  ])('%s: offers and runs what it leaves', async (_, options, left) => {
    const { ask, offered } = await obeying({ mcpServers: { own: stdio() }, ...options });

    const outputs = await ask(list(), read('mem://a'));

    expect(ofResources(offered(0))).toEqual(left);
    expect(outputs.map((text) => !text.startsWith('!'))).toEqual(BOTH.map((name) => left.includes(name)));
  });
});
