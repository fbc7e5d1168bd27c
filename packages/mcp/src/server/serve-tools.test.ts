import { AgentError, ToolNotFoundError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type McpEndpoint, type McpHttpRequest, serveTools } from './serve-tools.ts';
import type { ServeToolsOptions } from './server-options.ts';
import type { McpCallTool, McpToolSource } from './tool-source.ts';

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const echo: McpCallTool = async ({ name }) => text(`called ${name}`);

/** A list of one tool that is no registry; its listeners can be counted. */
function sourceOf(callMcpTool: McpCallTool = echo, more: Partial<McpToolSource> = {}) {
  const listeners = new Set<() => void>();
  const source: McpToolSource = {
    mcpTools: () => [{ name: 'echo', description: 'Says its name', inputSchema: { type: 'object' } }],
    callMcpTool,
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ...more,
  };
  return { source, listeners };
}

/** Asks an endpoint as one client does. */
class Asker {
  readonly #endpoint: McpEndpoint;
  #session: string | undefined;

  constructor(endpoint: McpEndpoint) {
    this.#endpoint = endpoint;
  }

  async answer(request: Partial<McpHttpRequest>) {
    const headers: Record<string, string | undefined> = { accept: '*/*', 'mcp-session-id': this.#session };
    return await this.#endpoint.answer({ method: 'POST', header: (name) => headers[name], ...request });
  }

  async ask(method: string, params: object = {}, more: Partial<McpHttpRequest> = {}) {
    const { body, status } = await this.answer({ body: { jsonrpc: '2.0', id: 1, method, params }, ...more });
    return { status, ...JSON.parse(body as string) }; // safe: no stream was asked for
  }

  async begin(): Promise<this> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const answer = await this.answer({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    this.#session = answer.headers['Mcp-Session-Id'];
    return this;
  }
}
const begun = async (source: McpToolSource, options: ServeToolsOptions = {}) =>
  await new Asker(serveTools(source, options)).begin();

describe('serveTools', () => {
  it('serves any list of tools', async () => {
    const client = await begun(sourceOf().source);

    expect((await client.ask('tools/list')).result.tools).toHaveLength(1);
    expect((await client.ask('tools/call', { name: 'echo' })).result).toEqual(text('called echo'));
    const call: McpCallTool = async () => text('instead');
    expect((await client.ask('tools/call', { name: 'echo' }, { call })).result).toEqual(text('instead'));
  });

  it.each<[string, McpCallTool, object]>([
    [
      'does not know',
      () => Promise.reject(new ToolNotFoundError('Tool not found: x')),
      { code: -32_602, message: 'Tool not found: x', data: { code: 'TOOL_NOT_FOUND', statusCode: 404 } },
    ],
    [
      'fails at',
      () => Promise.reject(new AgentError('no room', 'FULL', 507)),
      { code: -32_603, message: 'no room', data: { code: 'FULL', statusCode: 507 } },
    ],
    [
      'throws a foreign error for',
      () => Promise.reject(new Error('secret')),
      { code: -32_603, message: 'Internal server error' },
    ],
    [
      'has no JSON for',
      async () => ({ ...text(''), structuredContent: { big: 1n } }),
      { code: -32_603, message: 'Internal server error' },
    ],
  ])('answers a call that its source %s', async (_, call, error) => {
    const client = await begun(sourceOf(call).source);

    const answer = await client.ask('tools/call', { name: 'x' });

    expect(answer).toMatchObject({ status: 200, id: 1, error });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('answers when the list fails', async () => {
    const mcpTools = () => {
      throw new Error('secret');
    };
    const client = await begun(sourceOf(echo, { mcpTools }).source);

    expect((await client.ask('tools/list')).error).toMatchObject({ code: -32_603, message: 'Internal server error' });
  });

  it('answers when the source cannot be followed', async () => {
    const onChange = () => {
      throw new Error('secret');
    };
    const client = new Asker(serveTools(sourceOf(echo, { onChange }).source));
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} };

    expect(await client.ask('initialize', params)).toMatchObject({ status: 500, error: { code: -32_603 } });
  });

  it('does not run a call whose client is gone already', async () => {
    let runs = 0;
    const client = await begun(sourceOf(async () => text(String((runs += 1)))).source);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } };

    const answer = await client.answer({ body, signal: AbortSignal.abort() });

    expect([answer.body, runs]).toEqual(['', 0]);
    await client.answer({ body }); // negative control
    expect(runs).toBe(1);
  });

  it('says nothing more of a call that has its answer', async () => {
    let late: ((text: string) => void) | undefined;
    const { source } = sourceOf(async (_, { onProgress }) => {
      late = onProgress;
      return text('done');
    });
    const client = await begun(source);
    const params = { name: 'echo', _meta: { progressToken: 1 } };
    const answer = await client.answer({ body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
    const read = new Response(answer.body).text();
    late?.('before the answer is read');

    expect(await read).not.toContain('progress');
  });

  it('answers a call with an event stream once the client has set the level of a log, and not before', async () => {
    const { source } = sourceOf(async (_, { onProgress }) => {
      onProgress?.('half');
      return text('done');
    });
    const client = await begun(source);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } };
    expect((await client.answer({ body })).headers['Content-Type']).toBe('application/json');

    await client.ask('logging/setLevel', { level: 'info' });

    const answer = await client.answer({ body });
    expect(answer.headers['Content-Type']).toBe('text/event-stream');
    expect(await new Response(answer.body).text()).toMatch(/"logger":"echo","data":"half".*"text":"done"/s);
  });

  it('listens to its source while there is somebody to tell, and not after', async () => {
    const { source, listeners } = sourceOf();
    const endpoint = serveTools(source);
    expect(listeners.size).toBe(0);
    const client = await new Asker(endpoint).begin();
    expect(listeners.size).toBe(1);

    await client.answer({ method: 'DELETE' });
    for (const changed of listeners) changed();

    await expect.poll(() => listeners.size).toBe(0);
  });

  it('makes up for changes that came while nobody listened', async () => {
    const { source, listeners } = sourceOf();
    const endpoint = serveTools(source);
    const [listening, absent] = [await new Asker(endpoint).begin(), await new Asker(endpoint).begin()];
    const second = async (client: Asker) => {
      const { body } = await client.answer({ method: 'GET' });
      const reader = (body as ReadableStream<Uint8Array>).getReader(); // safe: the answer is a stream
      await reader.read();
      return async () => new TextDecoder().decode((await reader.read()).value);
    };
    const heard = await second(listening);
    for (const changed of listeners) changed();

    expect(await heard()).toContain('notifications/tools/list_changed');
    expect(await (await second(absent))()).toContain('notifications/tools/list_changed');
    endpoint.close();
  });

  it('answers nobody once it is closed', async () => {
    const { source, listeners } = sourceOf();
    const endpoint = serveTools(source);
    const client = await new Asker(endpoint).begin();
    for (const changed of listeners) changed();

    endpoint.close();

    expect(await client.ask('ping')).toMatchObject({ status: 503, error: { code: -32_000 } });
    expect(listeners.size).toBe(0);
  });

  it('refuses what is no source', () => {
    expect(() => serveTools({} as McpToolSource)).toThrow('source must be a ToolRegistry, or another source of tools');
  });
});
