import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHub } from '@x/mcp';
import { describe, expect, it } from 'vitest';
import { wrongLists } from '../../../mcp/verify/support/hostile-lists.ts';
import { talk } from '../../../mcp/verify/support/hostile-talk.ts';
import { web } from '../../../mcp/verify/support/hostile-web.ts';

const MB = 1024 * 1024;

/** Trials of `packages/mcp/verify/hostile-servers.verify.ts`, each of which says what bounded, typed failure must come of it. */
const trials = [...talk, ...wrongLists, ...web].map(({ name }) => name);

/** ZH08 names nine faults of a server; of each, the trials. */
const faults: readonly [string, readonly string[]][] = [
  ['a changed definition', ['a definition that changes', 'changes the list at each look']],
  ['a name collision', ['two tools that become equal', 'one tool twice', 'a name of another server']],
  ['a description of 10 MB', ['a description of 5 MB', 'sends a frame of 10 MB', 'HTTP: 12 MB of JSON']],
  ['a remote $ref', ['a schema elsewhere']],
  ['a depth bomb', ['a schema 100 levels deep', 'answers 100,000 levels deep']],
  ['no answer ever', ['never answers', 'never lists', 'never answers a call', 'HTTP: never answers']],
  ['a flood on stderr', ['floods its standard error']],
  ['an exit in mid-call', ['ends in a call']],
  ['a redirect with an auth header', ['HTTP: leads credentials away', 'HTTP: leads round in circles']],
];

/** A server of one tool whose description is so long. */
async function describing(length: number): Promise<Server> {
  const tools = [{ name: 'long', description: 'd'.repeat(length), inputSchema: { type: 'object' } }];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = (await Array.fromAsync(request)).join('');
    const { id, method } = text ? JSON.parse(text) : {};
    if (id === undefined) return response.writeHead(text ? 202 : 405).end();
    const serverInfo = { name: 'long', version: '1' };
    const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? hello : { tools } }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The description as it is offered. @throws McpError of the connection */
async function descriptionOffered(length: number): Promise<string | undefined> {
  const server = await describing(length);
  const { port } = server.address() as AddressInfo; // it listens on a port
  const hub = createMcpHub({ servers: { long: { type: 'http', url: `http://127.0.0.1:${port}` } } });
  try {
    await hub.connect('long');
    return hub.tools()[0]?.description;
  } finally {
    await hub.close();
    server.close();
    server.closeAllConnections();
  }
}

describe('a hostile MCP server', () => {
  it.each(faults)('ZH08 %s has its trials', (_, named) => {
    expect(trials).toEqual(expect.arrayContaining([...named]));
  });

  it('ZH08 a description of 10 MB ends the connection, with a typed failure', async () => {
    await expect(descriptionOffered(10 * MB)).rejects.toMatchObject({
      errorType: 'PROTOCOL_ERROR',
      message: expect.stringContaining('more than'),
    });
  });

  it('ZH08 a description of 5 MB is cut', async () => {
    expect(await descriptionOffered(5 * MB)).toHaveLength(4_096);
  });
});
