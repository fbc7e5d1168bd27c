import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createMcpHub } from '@x/mcp';
import { ToolRegistry } from '@x/registry';
import { afterEach, describe, expect, it } from 'vitest';
import { McpWorld } from '../support/mcp-clients.ts';
import { toolsOf } from '../support/served.ts';

const world = new McpWorld();
afterEach(async () => await world.end());

describe('MCP over HTTP, by the official client', () => {
  it('lists the tools that can be called, with their schemas, and calls them', async () => {
    const client = await world.connect(
      await world.serve({ version: '4.2.0', mcp: { name: 'tools', instructions: 'Add.' } }),
    );

    const { tools } = await client.listTools();
    const called = await client.callTool({ name: 'add-one', arguments: { a: 41 } });

    expect(client.getServerVersion()).toEqual({ name: 'tools', version: '4.2.0' });
    expect(client.getInstructions()).toBe('Add.');
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} });
    expect(tools.find(({ name }) => name === 'add-one')).toMatchObject({
      description: 'Adds one to a number',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    });
    expect(tools.map(({ name }) => name)).not.toContain('is-off');
    expect(called.content).toEqual([{ type: 'text', text: '42' }]);
    await client.ping();
  });

  it('reads resources, gets prompts, and hears the log of a call', async () => {
    const registry = new ToolRegistry();
    registry.register({ name: 'talks', description: 'Talks', parameters: [] }, async (_, context) => {
      context?.onProgress?.('half');
      return 'done';
    });
    const client = await world.connect(
      await world.serve({
        registry,
        mcp: {
          resources: [{ uri: 'docs://rules', name: 'rules', mimeType: 'text/plain', read: () => 'Be kind' }],
          prompts: [
            { name: 'greet', arguments: [{ name: 'whom', required: true }], get: ({ whom }) => `Greet ${whom}` },
          ],
        },
      }),
    );
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));

    expect((await client.listResources()).resources).toMatchObject([{ uri: 'docs://rules', name: 'rules' }]);
    expect((await client.readResource({ uri: 'docs://rules' })).contents).toEqual([
      { uri: 'docs://rules', mimeType: 'text/plain', text: 'Be kind' },
    ]);
    await expect(client.readResource({ uri: 'docs://none' })).rejects.toMatchObject({ code: -32_002 });
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet' }]);
    expect((await client.getPrompt({ name: 'greet', arguments: { whom: 'Ann' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet Ann' } },
    ]);
    await client.callTool({ name: 'talks' });
    expect(heard).toEqual([]);
    await client.setLoggingLevel('info');
    await client.callTool({ name: 'talks' });
    expect(heard).toEqual([{ level: 'info', logger: 'talks', data: 'half' }]);
  });

  it('gives a long list in pages', async () => {
    const client = await world.connect(await world.serve({ mcp: { pageSize: 4 } }));
    const names: string[] = [];

    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      expect(page.tools.length).toBeLessThanOrEqual(4);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect(names).toEqual(
      toolsOf()
        .mcpTools()
        .map(({ name }) => name),
    );
    await expect(client.listTools({ cursor: 'x' })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.listTools({ cursor: '-1' })).rejects.toMatchObject({ code: -32_602 });
  });

  it('tells of changes of the registry, many of them in one notice', async () => {
    const registry = new ToolRegistry();
    const client = await world.connect(await world.serve({ registry }));
    let notices = 0;
    const heard = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      notices += 1;
      heard.resolve();
    });

    for (let n = 0; n < 500; n += 1) {
      registry.register({ name: `tool-${n}`, description: 'One of many', parameters: [] }, async () => n);
    }
    await heard.promise;

    expect((await client.listTools()).tools).toHaveLength(500);
    expect(notices).toBe(1);
  });

  it('aborts the tool when the client cancels', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const registry = new ToolRegistry();
    registry.register({ name: 'waits', description: 'Waits', parameters: [] }, async (_, context) => {
      begun.resolve(context!.signal!);
      await new Promise(() => undefined);
    });
    const client = await world.connect(await world.serve({ registry }));
    const cancelling = new AbortController();

    const call = client.callTool({ name: 'waits' }, undefined, { signal: cancelling.signal }).catch((error) => error);
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    cancelling.abort();

    await expect.poll(() => signal.aborted).toBe(true);
    expect(await call).toBeInstanceOf(Error);
  });

  it('passes progress on', async () => {
    const registry = new ToolRegistry();
    registry.register({ name: 'steps', description: 'Has steps', parameters: [] }, async (_, context) => {
      for (const step of ['one', 'two', 'three']) context?.onProgress?.(step);
      return 'done';
    });
    const client = await world.connect(await world.serve({ registry }));
    const seen: unknown[] = [];

    const called = await client.callTool({ name: 'steps' }, undefined, { onprogress: (step) => seen.push(step) });

    expect(called.content).toEqual([{ type: 'text', text: 'done' }]);
    expect(seen).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: 'two' },
      { progress: 3, message: 'three' },
    ]);
  });
});

describe('MCP over HTTP, by our own hub', () => {
  it('lists, calls and follows', async () => {
    const registry = toolsOf();
    const { url } = await world.serve({ registry, token: 'secret' });
    const headers = { Authorization: 'Bearer secret' };
    const hub = createMcpHub({ servers: { own: { type: 'http', url: `${url}/mcp`, headers } } });
    await hub.ready({ timeoutMs: 10_000 });

    expect(hub.status()).toMatchObject([{ name: 'own', status: 'connected' }]);
    expect(hub.tools().map(({ name }) => name)).toContain('mcp__own__add-one');
    registry.disable('add-one');
    await expect.poll(() => hub.tools().map(({ name }) => name)).not.toContain('mcp__own__add-one');
    await hub.close();
  });
});
