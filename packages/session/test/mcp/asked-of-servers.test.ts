import { describe, expect, it } from 'vitest';
import { until } from '../../../mcp/test/support/hubs.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { obeying } from '../support/obeying.ts';

const asked = () => obeying({ mcpServers: { own: stdio({ more: true }), plain: stdio() } });

describe('the host of a session', () => {
  it('subscribes to a resource of a server, and reads it', async () => {
    const { session, ask } = await asked();
    const told: string[] = [];
    const end = await session.mcpSubscribe('own', 'mem://a', (uri) => told.push(uri));

    await ask({ name: 'mcp__own__touch', input: { uri: 'mem://a' } });
    await until(() => told.length > 0);
    await end();

    expect(told).toEqual(['mem://a']);
    expect(await session.mcpReadResource('own', 'mem://a')).toEqual([{ uri: 'mem://a', text: 'A' }]);
    await expect(session.mcpSubscribe('plain', 'mem://a', () => undefined)).rejects.toMatchObject({
      errorType: 'PROTOCOL_ERROR',
    });
  });

  it.each([
    ['hello', 'hello'],
    ['mcp__own__hello', 'hello'],
    ['mcp__own__other', 'mcp__own__other'],
  ])('asks for values of an argument of the prompt %s', async (prompt, named) => {
    const { session } = await asked();

    const { values } = await session.mcpComplete('own', { prompt, argument: 'who', value: 'A' });

    expect(values).toEqual([`${named} who A {}`]);
  });

  it('asks for values of a resource template, and for none of a server that proposes none', async () => {
    const { session } = await asked();
    const request = { resourceTemplate: 'mem://{name}', argument: 'name' };

    expect((await session.mcpComplete('own', request)).values).toEqual(['mem://{name} name  {}']);
    expect(await session.mcpComplete('plain', request)).toEqual({ values: [], hasMore: false });
  });

  it('cannot ask servers of a session that has none', async () => {
    const { session } = await obeying({});
    const refused = { code: 'MCP_ERROR', errorType: 'CONFIG_ERROR', message: expect.stringContaining('no mcpServers') };

    await expect(session.mcpSubscribe('own', 'a', () => undefined)).rejects.toMatchObject(refused);
    await expect(session.mcpReadResource('own', 'a')).rejects.toMatchObject(refused);
    await expect(session.mcpComplete('own', { prompt: 'a', argument: 'b' })).rejects.toMatchObject(refused);
  });
});
