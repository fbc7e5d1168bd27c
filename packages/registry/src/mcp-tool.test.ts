import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  ToolSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { defineTool, RateLimitError, type Schema, type Tool, ToolNotFoundError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toMcpTool } from './mcp-tool.ts';
import { ToolRegistry } from './tool-registry.ts';

const readonly = defineTool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ at: z.string().describe('where') }),
  kind: 'readonly',
  execute: async ({ at }) => ({ seen: at }),
});
const metadata = {
  name: 'add',
  description: 'Adds',
  parameters: [
    { name: 'a', type: 'number' as const, description: 'first', required: true },
    { name: 'b', type: 'number' as const, description: 'second', default: 1 },
  ],
};
const withJson = (json: Schema['json']): Tool => ({ ...readonly, inputSchema: { json, parse: (value) => value } });

describe('toMcpTool', () => {
  it('is what an MCP server lists', () => {
    expect(toMcpTool(readonly)).toEqual({
      name: 'look',
      description: 'Looks',
      inputSchema: readonly.inputSchema.json,
      annotations: { readOnlyHint: true },
    });
    expect(toMcpTool(metadata)).toMatchObject({ name: 'add', inputSchema: { type: 'object', required: ['a'] } });
    expect(toMcpTool(metadata)).not.toHaveProperty('annotations');
  });

  it.each([
    ['write', 'non_idempotent', { readOnlyHint: false, idempotentHint: false }],
    ['execute', 'idempotent', { readOnlyHint: false, idempotentHint: true }],
    ['execute', 'pure', { readOnlyHint: false, idempotentHint: true }],
    ['readonly', 'pure', { readOnlyHint: true }],
  ] as const)('says of a tool that is %s and %s: %j', (kind, effect, annotations) => {
    expect(toMcpTool({ ...readonly, kind, effect }).annotations).toEqual(annotations);
  });

  it.each<[string, Tool | typeof metadata]>([
    ['a zod tool', readonly],
    ['metadata', metadata],
    ['properties that are true or false', withJson({ type: 'object', properties: { any: true, none: false } })],
    ['no properties', withJson({ type: 'object' })],
    ['no type', withJson({ properties: { a: { type: 'string' } } })],
  ])('fits the schema of the protocol for %s', (_, tool) => {
    expect(ToolSchema.safeParse(toMcpTool(tool))).toMatchObject({ success: true });
  });

  it('means the same by properties that are true or false', () => {
    const { inputSchema } = toMcpTool(withJson({ type: 'object', properties: { any: true, none: false } }));

    expect(inputSchema['properties']).toEqual({ any: {}, none: { not: {} } });
  });
});

describe('callMcpTool', () => {
  const registryOf = (value: unknown) => {
    const registry = new ToolRegistry();
    registry.register({ ...metadata, name: 'gives', parameters: [] }, async () => value);
    return registry;
  };
  const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };

  it.each<[unknown, object]>([
    ['text', { content: [{ type: 'text', text: 'text' }] }],
    [undefined, { content: [{ type: 'text', text: '' }] }],
    [42, { content: [{ type: 'text', text: '42' }] }],
    [[1, 2], { content: [{ type: 'text', text: '[1,2]' }] }],
    [
      { a: new Date(0) },
      {
        content: [{ type: 'text', text: '{"a":"1970-01-01T00:00:00.000Z"}' }],
        structuredContent: { a: '1970-01-01T00:00:00.000Z' },
      },
    ],
    [
      { output: 'x', isError: true },
      {
        content: [{ type: 'text', text: '{"output":"x","isError":true}' }],
        structuredContent: { output: 'x', isError: true },
      },
    ],
    [[image], { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }],
    [
      [{ type: 'text', text: 'see' }, image],
      {
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
    ],
  ])('answers %j as a result of the protocol', async (value, expected) => {
    const result = await registryOf(value).callMcpTool({ name: 'gives' });

    expect(result).toEqual(expected);
    expect(CallToolResultSchema.safeParse(result)).toMatchObject({ success: true });
  });

  it('answers a failure with its message for the model and its code for programs', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata, async () => Promise.reject(new RateLimitError('slow down', 3)));

    expect(await registry.callMcpTool({ name: 'add', arguments: { a: 1 } })).toEqual({
      content: [{ type: 'text', text: 'slow down' }],
      isError: true,
      _meta: { 'agent-sdk/error': { name: 'RateLimitError', code: 'RATE_LIMIT_EXCEEDED', statusCode: 429 } },
    });
    expect(await registry.callMcpTool({ name: 'add' })).toMatchObject({
      content: [{ text: 'Required parameter missing: a' }],
      _meta: {
        'agent-sdk/error': {
          code: 'VALIDATION_ERROR',
          details: [expect.objectContaining({ message: 'Required parameter missing: a' })],
        },
      },
    });
  });

  it('tells a model every fault of the parameters', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata, async () => 1);

    expect(await registry.callMcpTool({ name: 'add', arguments: { b: 'x', c: 1 } })).toMatchObject({
      content: [{ text: expect.stringMatching(/^Required parameter missing: a; .*; Unknown parameter: c$/) }],
    });
    await expect(registry.execute('add', { c: 1 })).rejects.toMatchObject({
      message: 'Required parameter missing: a',
      field: 'a',
      details: [{ path: '/a' }, { path: '/c' }],
    });
  });

  it('answers a value that JSON cannot carry as a failure of the tool', async () => {
    expect(await registryOf(10n).callMcpTool({ name: 'gives' })).toMatchObject({
      isError: true,
      content: [{ text: 'Tool execution failed: gives' }],
    });
  });

  it('leaves to the protocol what it answers itself', async () => {
    const registry = registryOf(1);

    await expect(registry.callMcpTool({ name: 'other' })).rejects.toBeInstanceOf(ToolNotFoundError);
    await expect(registry.callMcpTool({ name: 'gives' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  it('serves a client of the protocol, with its changes', async () => {
    const registry = new ToolRegistry();
    registry.register(metadata, async ({ a, b }) => ({ sum: a + b }));
    registry.add(readonly);
    const { client, changes, close } = await connected(registry);

    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['add', 'look']);
    expect(await client.callTool({ name: 'add', arguments: { a: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
    expect(await client.callTool({ name: 'look', arguments: { at: 1 } })).toMatchObject({ isError: true });
    registry.disable('add');
    await expect(client.callTool({ name: 'missing' })).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['look']);
    expect(changes()).toBe(1);
    await close();
  });
});

/** A client and a server in this process, as a host would put them over a registry. */
async function connected(registry: ToolRegistry) {
  const server = new Server({ name: 'tools', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: registry.mcpTools().map((tool) => ToolSchema.parse(tool)),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }, { signal }) => {
    const result = await registry.callMcpTool({ name, arguments: input }, { signal }).catch((error: Error) => {
      throw new McpError(ErrorCode.InvalidParams, error.message);
    });
    return CallToolResultSchema.parse(result);
  });
  const stop = registry.onChange(() => void server.sendToolListChanged().catch(() => undefined));
  const client = new Client({ name: 'reader', version: '1.0.0' });
  let changed = 0;
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
  client.fallbackNotificationHandler = async () => void changed++;
  const close = async () => {
    stop();
    await client.close();
    await server.close();
  };
  return { client, changes: () => changed, close };
}
