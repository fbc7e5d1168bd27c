import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { McpHubOptions, McpNotice } from '../src/index.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const logs = async (options: Partial<McpHubOptions>) => {
  const [notices, journal]: [McpNotice[], string] = [[], join(folder(), 'journal')];
  const hub = hubOf({ a: stdio({ journal }) }, { onNotice: (notice) => void notices.push(notice), ...options });
  await hub.ready();
  for (const level of ['debug', 'notice', 'alert']) await called(toolOf(hub, 'mcp__a__ask'), { what: 'log', level });
  const messages = notices.filter(({ kind }) => kind === 'mcp_log').map(({ message }) => message);
  return { messages, asked: linesOf(journal).filter((line) => line.startsWith('level')) };
};

describe('what a server announces', () => {
  it('is what is asked of it: lists of what it does not have are empty, without a question', async () => {
    const hub = hubOf({ a: stdio({ resources: false, prompts: false }), b: stdio() });
    await hub.ready();

    expect([await hub.listResources('a'), await hub.listPrompts('a')]).toEqual([[], []]);
    expect([await hub.listResources('b'), await hub.listPrompts('b')]).toMatchObject([[{}], [{}]]);
  });

  it('makes tools for its resources only when the host says so', async () => {
    const hub = hubOf({ a: stdio(), b: stdio({ resources: false }) }, { resourceTools: true });
    const plain = hubOf({ a: stdio() });
    await Promise.all([hub.ready(), plain.ready()]);
    const ofResources = (names: readonly string[]) => names.filter((name) => name.includes('resource'));

    expect(ofResources(hub.tools().map(({ name }) => name))).toEqual([
      'mcp__a__list_resources',
      'mcp__a__read_resource',
    ]);
    expect(hub.status()[0]!.tools).toContain('read_resource');
    expect(await called(toolOf(hub, 'mcp__a__read_resource'), { uri: 'mem://a' })).toMatchObject({ output: 'A' });
    expect(ofResources(plain.tools().map(({ name }) => name))).toEqual([]);
    expect(hub.pins().filter(({ name }) => name.includes('resource'))).toEqual([]);
  });
});

describe('logLevel', () => {
  it('asks for logs of that level, and makes notices of them, whatever else the server sends', async () => {
    const { messages, asked } = await logs({ logLevel: 'notice' });

    expect(asked).toEqual(['level notice']);
    expect(messages).toEqual(['MCP server a: notice (plain): {"a":1}', 'MCP server a: alert (plain): {"a":1}']);
  });

  it('leaves the function for logs all of them, which is enough without it', async () => {
    const heard: string[] = [];
    const log = (_: string, { level }: { readonly level: string }) => void heard.push(level);

    expect((await logs({ logLevel: 'alert', handlers: { log } })).messages).toHaveLength(1);
    expect(await logs({ handlers: { log } })).toEqual({ messages: [], asked: [] });
    expect(heard).toEqual(['debug', 'notice', 'alert', 'debug', 'notice', 'alert']);
  });
});

describe('recall', () => {
  it('takes what another hub has approved, and nothing else', async () => {
    const tool = (description: string) => ({ name: 'look', description, inputSchema: { type: 'object' } });
    const seen = hubOf({ a: stdio({ tools: [tool('Looks.')] }) });
    await seen.ready();
    const changed = { a: stdio({ tools: [tool('Looks, and tells.')] }) };
    const [one, two] = [hubOf(changed, { pins: seen.pins() }), hubOf(changed, { pins: seen.pins() })];
    await Promise.all([one.ready(), two.ready()]);

    two.recall(one.pins());
    expect(two.tools()).toEqual([]);
    one.approve('a', 'look');
    two.recall(one.pins());

    expect(two.tools().map(({ name }) => name)).toEqual(['mcp__a__look']);
    two.recall(seen.pins());
    expect(two.tools()).toEqual([]);
  });
});
