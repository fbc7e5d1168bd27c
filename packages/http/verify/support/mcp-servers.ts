// Servers of one tool over streamable HTTP, in a process of their own: ours with all guards, those of the official SDK with a session, as it
// answers by itself and with JSON, and plain node:http that only parses and answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { silentLogger } from '@x/core/internal';
import { z } from 'zod';
import { serve } from '../../src/index.ts';
import { toolsOf } from '../../test/support/served.ts';
import { usedMb } from './used-mb.ts';

process.on('disconnect', () => process.exit()); // the suite is gone, however it went

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const registry = toolsOf();
registry.register({ name: 'chats', description: 'Chats for long', parameters: [] }, async (_, context) => {
  for (let n = 0; !context?.signal?.aborted; n += 1) {
    context?.onProgress?.(`${n} ${'x'.repeat(900)}`);
    saidMb += 900 / 1024 / 1024;
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
let saidMb = 0;
const options = {
  registry,
  port: 0,
  token: 'secret',
  rateLimit: { max: 1_000_000_000, timeWindow: 60_000 },
  logger: silentLogger,
  logLevel: 'error',
  maxConnections: 5_000,
} as const;
const ours = await serve({ ...options, mcp: true });
const roomy = await serve({ ...options, mcp: { maxSessions: 1_000_000 } });
const ports = {
  ours: ours.port,
  roomy: roomy.port,
  sdk: await listening(await sdkServer(false)),
  sdkJson: await listening(await sdkServer(true)),
  plain: await listening(plain),
};
process.on('message', (asked) => {
  if (asked === 'change') for (let n = 0; n < 50; n += 1) changeOnce(n);
  const { user, system } = process.cpuUsage();
  if (asked === 'said') process.send?.(saidMb);
  else if (asked !== 'memory') process.send?.(user + system);
  else void usedMb().then((mb) => process.send?.(mb));
});
process.send?.(ports);

function changeOnce(n: number): void {
  if (n % 2 === 0) registry.disable('add-two');
  else registry.enable('add-two');
}

/** One session is enough: each call is of the same. */
async function sdkServer(enableJsonResponse: boolean): Promise<Answer> {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  server.registerTool(
    'add-one',
    { description: 'Adds one to a number', inputSchema: { a: z.number() } },
    async ({ a }) => ({
      content: [{ type: 'text', text: String(a + 1) }],
    }),
  );
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    enableJsonResponse,
  });
  await server.connect(transport);
  return (incoming, outgoing) => void transport.handleRequest(incoming, outgoing);
}

function plain(incoming: IncomingMessage, outgoing: ServerResponse): void {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk) => (text += chunk));
  incoming.on('end', () => {
    const { id, params = {} } = JSON.parse(text);
    const content = [{ type: 'text', text: String((params.arguments?.a ?? 0) + 1) }];
    outgoing.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' });
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
  });
}

async function listening(answer: Answer): Promise<number> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // it listens on a port
}
