import { afterEach, describe, expect, it } from 'vitest';
import { type McpPin, memoryToolCache } from '../src/index.ts';
import { called, closeAll, hubOf, toolOf, until } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

const inputSchema = { type: 'object' };
const look = { name: 'look', description: 'Looks.', inputSchema };
const find = { name: 'find', description: 'Finds.', inputSchema };

describe('pins of tools', () => {
  it('are made of what is seen first, as plain data (M14, M23)', async () => {
    const given: McpPin[] = [];
    const hub = hubOf({ a: stdio({ tools: [look, find] }) }, { onPin: (pin) => given.push(pin) });
    await hub.ready();

    expect(given).toHaveLength(2);
    expect(JSON.parse(JSON.stringify(hub.pins()))).toEqual([
      { serverName: 'a', name: 'find', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { serverName: 'a', name: 'look', hash: expect.any(String) },
    ]);
  });

  it.each([
    ['description', { ...look, description: 'Looks, and tells others.' }],
    ['schema', { ...look, inputSchema: { type: 'object', properties: { key: { type: 'string' } } } }],
    ['order of a list in the schema', { ...look, inputSchema: { type: 'object', required: ['a'] } }],
  ])('disable a tool whose %s has changed, until it is approved (M14, M22, M23)', async (_, changed) => {
    const first = hubOf({ a: stdio({ tools: [look, find] }) });
    await first.ready();
    const pins = first.pins();
    const given: McpPin[] = [];
    const hub = hubOf({ a: stdio({ tools: [changed, find] }) }, { pins, onPin: (pin) => given.push(pin) });
    await hub.ready();

    const before = hub.tools().map(({ name }) => name);
    const infos = hub.listTools().map(({ name, approved }) => [name, approved]);
    const { problems } = hub.status()[0]!;
    hub.approve('a', 'look');

    expect(before).toEqual(['mcp__a__find']);
    expect(infos).toEqual([
      ['find', true],
      ['look', false],
    ]);
    expect(problems).toMatchObject([{ kind: 'changed', name: 'look' }]);
    expect(hub.tools().map(({ name }) => name)).toEqual(['mcp__a__find', 'mcp__a__look']);
    expect(hub.status()[0]).not.toHaveProperty('problems');
    expect(given).toMatchObject([{ name: 'look' }]);
    const third = hubOf({ a: stdio({ tools: [changed, find] }) }, { pins: hub.pins() });
    await third.ready();
    expect(third.tools()).toHaveLength(2);
  });

  it('approve all of a server, or an unknown one not (M23)', async () => {
    const pins = ['look', 'find'].map((name) => ({ serverName: 'a', name, hash: 'other' }));
    const hub = hubOf({ a: stdio({ tools: [look, find] }) }, { pins });
    await hub.ready();

    expect(hub.tools()).toEqual([]);
    expect(() => hub.approve('a', 'nothing')).toThrow(expect.objectContaining({ errorType: 'CONFIG_ERROR' }));
    hub.approve('a');
    expect(hub.tools()).toHaveLength(2);
  });

  it('find a tool that changes while it is offered: it can no longer be called (M14)', async () => {
    const echo = { name: 'echo', description: 'Says it again.', inputSchema };
    const change = { name: 'change', inputSchema };
    const hub = hubOf({ a: stdio({ tools: [echo, change] }) });
    await hub.ready();
    const kept = toolOf(hub, 'mcp__a__echo');

    await called(toolOf(hub, 'mcp__a__change'), { ...echo, description: 'Says it to everybody.' });
    await until(() => hub.tools().length === 1);

    expect(await called(kept, { text: 'x' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('changed'),
    });
  });

  it('are the same whatever the order of keys (M14)', async () => {
    const first = hubOf({ a: stdio({ tools: [{ ...look, inputSchema: { type: 'object', title: 'T' } }] }) });
    await first.ready();
    const hub = hubOf(
      { a: stdio({ tools: [{ ...look, inputSchema: { title: 'T', type: 'object' } }] }) },
      { pins: first.pins() },
    );
    await hub.ready();

    expect(hub.tools()).toHaveLength(1);
  });
});

describe('the cache of tool lists', () => {
  it('offers tools at once; a call waits for the connection (M20)', async () => {
    const cache = memoryToolCache();
    const first = hubOf({ a: stdio() }, { cache });
    await first.ready();
    await first.close();

    const hub = hubOf({ a: stdio() }, { cache });
    const offered = hub.tools();
    const state = hub.status()[0]!.status;

    expect(state).toBe('connecting');
    expect(offered).toHaveLength(10);
    expect(await called(offered.find(({ name }) => name === 'mcp__a__echo')!, { text: 'x' })).toMatchObject({
      output: 'x',
    });
    expect(hub.tools()).toBe(offered);
  });

  it('a call that has waited as long as its server may take is an error result (M20)', async () => {
    const hanging = stdio({ hang: true }, { timeoutMs: 30 });
    const cache = { get: () => ({ tools: [look], resources: false }), set: () => undefined };
    const hub = hubOf({ a: hanging }, { cache });

    const result = await called(toolOf(hub, 'mcp__a__look'));

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('not connected within 30 ms') });
    expect(result).not.toHaveProperty('interrupted');
  });

  it('goes by all that makes a server another one, and not by trust (M20)', async () => {
    const hashes: string[] = [];
    const cache = { get: (hash: string) => void hashes.push(hash), set: () => undefined };
    hubOf({ a: stdio(), b: stdio({}, { trusted: true }), c: stdio({}, { env: { KEY: '1' } }) }, { cache });

    expect(hashes[0]).toBe(hashes[1]);
    expect(new Set(hashes).size).toBe(2);
  });

  it('does not bring back what a server no longer has (M20)', async () => {
    const cache = { get: () => ({ tools: [look], resources: false }), set: () => undefined };
    const hub = hubOf({ a: stdio({ tools: [find] }) }, { cache });
    await hub.ready();

    expect(hub.tools().map(({ name }) => name)).toEqual(['mcp__a__find']);
  });
});
