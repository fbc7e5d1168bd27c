import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { serveTools } from './serve-tools.ts';
import type { McpToolSource } from './tool-source.ts';

const runs: string[] = [];
const source: McpToolSource = {
  mcpTools: () => [],
  callMcpTool: async ({ name }) => ({ content: [{ type: 'text', text: String(runs.push(name)) }] }),
  onChange: () => () => undefined,
};
const headers: Record<string, string> = { accept: '*/*' };
const endpoint = serveTools(source);
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} },
};
const header = (name: string) => headers[name];
const begun = await endpoint.answer({ method: 'POST', header, body: initialize });
headers['mcp-session-id'] = begun.headers['Mcp-Session-Id']!; // it has begun

/** Messages that are nearly right: each part is the right one, or any other. */
const nearly = (right: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: right }, fc.jsonValue());
const METHODS = ['initialize', 'ping', 'tools/list', 'tools/call', 'notifications/cancelled', 'constructor'];
const params = fc.record(
  {
    name: nearly(fc.string()),
    arguments: nearly(fc.dictionary(fc.string(), fc.jsonValue())),
    cursor: nearly(fc.string()),
    requestId: nearly(fc.integer()),
    protocolVersion: nearly(fc.constant('2025-11-25')),
    _meta: nearly(fc.record({ progressToken: nearly(fc.string()) })),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: nearly(fc.constant('2.0')),
    id: nearly(fc.oneof(fc.integer(), fc.string())),
    method: nearly(fc.constantFrom(...METHODS)),
    params: nearly(params),
    result: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('any message', () => {
  test.prop([nearly(message)], { numRuns: 2_000 })('has an answer of the protocol', async (body) => {
    const before = runs.length;

    const answer = await endpoint.answer({ method: 'POST', header, body });

    expect([200, 202, 400, 406]).toContain(answer.status);
    if (answer.body instanceof ReadableStream) {
      expect(await new Response(answer.body).text()).toMatch(/^: open\n\nevent: message\ndata: \{.*\}\n\n$/);
    } else if (answer.status === 202) expect(answer.body).toBeNull();
    else expect(JSON.parse(String(answer.body))).toMatchObject({ jsonrpc: '2.0' });
    if (runs.length > before) expect(body).toMatchObject({ jsonrpc: '2.0', method: 'tools/call' });
  });
});
