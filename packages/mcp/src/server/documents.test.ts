import { AgentError } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { CODES, readMessage } from './json-rpc.ts';
import { McpPeer, type Reach } from './peer.ts';
import { serveTools } from './serve-tools.ts';
import type { McpServedPrompt } from './served-prompts.ts';
import type { McpServedResource } from './served-resources.ts';
import { factsOf, type McpServerOptions } from './server-options.ts';
import type { McpCallTool, McpToolSource } from './tool-source.ts';

const sourceOf = (callMcpTool: McpCallTool = async () => ({ content: [] })): McpToolSource => ({
  mcpTools: () => [],
  callMcpTool,
  onChange: () => () => undefined,
});

function clientOf(options: McpServerOptions, source = sourceOf()) {
  const peer = new McpPeer(source, factsOf(options));
  return {
    cancel: (requestId: number) =>
      peer.receive(readMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })),
    ask: (method: string, params: object = {}, reach: Reach = {}) =>
      peer.receive(readMessage({ jsonrpc: '2.0', id: 1, method, params }), reach),
  };
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} };
const resource = (more: Partial<McpServedResource> = {}): McpServedResource => ({
  uri: 'docs://rules',
  name: 'rules',
  read: () => 'Be kind',
  ...more,
});
const prompt = (more: Partial<McpServedPrompt> = {}): McpServedPrompt => ({
  name: 'greet',
  arguments: [{ name: 'whom', required: true }, { name: 'how' }],
  get: ({ whom, how }) => `Greet ${whom} ${how ?? 'kindly'}`,
  ...more,
});

describe('resources of a server', () => {
  it('are announced, listed in pages without what reads them, and read', async () => {
    const bytes = new Uint8Array(100_000).fill(7);
    const image = resource({ uri: 'docs://image', name: 'image', mimeType: 'image/png', read: async () => bytes });
    const { ask } = clientOf({ resources: [resource({ description: 'Of the house' }), image], pageSize: 1 });

    expect((await ask('initialize', INITIALIZE))?.result).toMatchObject({ capabilities: { resources: {} } });
    expect((await ask('resources/list'))?.result).toEqual({
      resources: [{ uri: 'docs://rules', name: 'rules', description: 'Of the house' }],
      nextCursor: '1',
    });
    expect((await ask('resources/list', { cursor: '1' }))?.result).toEqual({
      resources: [{ uri: 'docs://image', name: 'image', mimeType: 'image/png' }],
    });
    expect((await ask('resources/templates/list'))?.result).toEqual({ resourceTemplates: [] });
    expect((await ask('resources/read', { uri: 'docs://rules' }))?.result).toEqual({
      contents: [{ uri: 'docs://rules', text: 'Be kind' }],
    });
    expect((await ask('resources/read', { uri: 'docs://image' }))?.result).toEqual({
      contents: [{ uri: 'docs://image', mimeType: 'image/png', blob: Buffer.from(bytes).toString('base64') }],
    });
  });

  it('that are unknown, or fail, are errors without the words of foreign ones', async () => {
    const failing = (uri: string, error: Error) => resource({ uri, read: () => Promise.reject(error) });
    const onError = vi.fn<NonNullable<McpServerOptions['onError']>>(() => {
      throw new Error('of the observer');
    });
    const { ask } = clientOf({
      onError,
      resources: [
        resource({ uri: 'docs://none-of-both', read: (() => 7) as never }),
        failing('docs://gone', new AgentError('It is gone', 'GONE', 410)),
        failing('docs://broken', new AgentError('secret', 'BROKEN', 500)),
        failing('docs://foreign', new Error('secret')),
      ],
    });
    const errorAt = async (uri: string) => (await ask('resources/read', { uri }))?.error;

    expect(await errorAt('docs://none')).toMatchObject({ code: CODES.noResource, message: 'Resource not found' });
    expect(await errorAt('docs://gone')).toMatchObject({ message: 'It is gone', data: { statusCode: 410 } });
    for (const uri of ['docs://broken', 'docs://foreign', 'docs://none-of-both']) {
      expect(await errorAt(uri)).toMatchObject({ code: CODES.internalError, message: 'Internal server error' });
    }
    expect(onError.mock.calls.map(([error, { name }]) => `${name}: ${String(error)}`)).toEqual([
      'docs://gone: AgentError: It is gone',
      'docs://broken: AgentError: secret',
      'docs://foreign: Error: secret',
      'docs://none-of-both: TypeError: A resource is a text, or bytes in a Uint8Array',
    ]);
  });

  it('are read until the client cancels, also by a function that does not listen', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const read: McpServedResource['read'] = ({ signal }) => {
      begun.resolve(signal);
      return new Promise(() => undefined);
    };
    const { ask, cancel } = clientOf({ resources: [resource({ read })] });

    const reading = ask('resources/read', { uri: 'docs://rules' });
    const signal = await begun.promise;
    await cancel(1);

    expect([await reading, signal.aborted]).toEqual([undefined, true]);
  });
});

describe('prompts of a server', () => {
  it('are announced, listed, and made with their arguments', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const shown = prompt({ name: 'show', arguments: [], get: async () => [{ role: 'assistant', content: image }] });
    const { ask } = clientOf({ prompts: [prompt({ description: 'Says hello' }), shown] });
    const told = {
      name: 'greet',
      description: 'Says hello',
      arguments: [{ name: 'whom', required: true }, { name: 'how' }],
    };

    expect((await ask('initialize', INITIALIZE))?.result).toMatchObject({ capabilities: { prompts: {} } });
    expect((await ask('prompts/list'))?.result).toEqual({ prompts: [told, { name: 'show', arguments: [] }] });
    expect((await ask('prompts/get', { name: 'greet', arguments: { whom: 'Ann' } }))?.result).toEqual({
      description: 'Says hello',
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann kindly' } }],
    });
    expect((await ask('prompts/get', { name: 'show' }))?.result).toEqual({
      messages: [{ role: 'assistant', content: image }],
    });
  });

  it.each<[string, object, string]>([
    ['an unknown one', { name: 'none' }, 'Prompt not found'],
    ['one of every object', { name: 'constructor' }, 'Prompt not found'],
    ['a missing argument', { name: 'greet' }, 'The argument whom is missing'],
    [
      'an argument of every object',
      { name: 'greet', arguments: { toString: 'x' } },
      'The prompt has no argument "toString"',
    ],
    ['an argument that is no text', { name: 'greet', arguments: { whom: 7 } }, 'The argument whom must be a text'],
    ['arguments that are a list', { name: 'greet', arguments: [] }, 'arguments must be an object'],
  ])('refuse %s', async (_, params, message) => {
    const { ask } = clientOf({ prompts: [prompt()] });

    expect((await ask('prompts/get', params))?.error).toEqual({ code: CODES.invalidParams, message });
  });
});

it('tells the host of a prompt that is neither a text nor a list', async () => {
  const onError = vi.fn<NonNullable<McpServerOptions['onError']>>();
  const { ask } = clientOf({ onError, prompts: [prompt({ name: 'odd', arguments: [], get: (() => ({})) as never })] });

  expect((await ask('prompts/get', { name: 'odd' }))?.error).toMatchObject({ code: CODES.internalError });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(TypeError), { method: 'prompts/get', name: 'odd' });
});

it('serves neither resources nor prompts that it was not given', async () => {
  const { ask } = clientOf({});

  expect((await ask('initialize', INITIALIZE))?.result).toMatchObject({
    capabilities: { tools: { listChanged: true }, logging: {} },
  });
  expect(JSON.stringify(await ask('initialize', INITIALIZE))).not.toMatch(/resources|prompts/);
  for (const method of [
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'prompts/list',
    'prompts/get',
  ]) {
    expect((await ask(method))?.error).toMatchObject({ code: CODES.methodNotFound });
  }
});

it.each<[string, McpServerOptions, string]>([
  ['an address that is none', { resources: [resource({ uri: 'rules' })] }, 'resources[0].uri must be an absolute URI'],
  ['an address twice', { resources: [resource(), resource()] }, 'resources[1].uri is there twice: "docs://rules"'],
  ['a prompt twice', { prompts: [prompt(), prompt()] }, 'prompts[1].name is there twice: "greet"'],
  [
    'an argument twice',
    { prompts: [prompt({ arguments: [{ name: 'a' }, { name: 'a' }] })] },
    'prompts[0].arguments[1].name is there twice: "a"',
  ],
])('refuses %s when it is made', (_, options, message) => {
  expect(() => serveTools(sourceOf(), options)).toThrow(message);
});

describe('the log of a server', () => {
  const talking = sourceOf(async (_, { onProgress }) => {
    onProgress?.('half');
    return { content: [] };
  });
  const heardAt = async (level: string | undefined, _meta: object = {}) => {
    const { ask } = clientOf({}, talking);
    if (level !== undefined) expect((await ask('logging/setLevel', { level }))?.result).toEqual({});
    const heard: unknown[] = [];
    await ask('tools/call', { name: 'talk', _meta }, { notify: (notice) => heard.push(JSON.parse(notice)) });
    return heard;
  };
  const said = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', logger: 'talk', data: 'half' },
  };

  it.each<[string | undefined, readonly object[]]>([
    [undefined, []],
    ['debug', [said]],
    ['info', [said]],
    ['notice', []],
    ['emergency', []],
  ])('tells at level %s what a tool says of its progress', async (level, heard) => {
    expect(await heardAt(level)).toEqual(heard);
  });

  it('leaves to the progress what is asked for as such', async () => {
    expect(await heardAt('debug', { progressToken: 1 })).toMatchObject([{ method: 'notifications/progress' }]);
  });

  it('has no other levels', async () => {
    expect((await clientOf({}).ask('logging/setLevel', { level: 'loud' }))?.error).toMatchObject({
      code: CODES.invalidParams,
      message: expect.stringContaining('level must be one of debug, info'),
    });
  });
});
