// A server of sessions in a process of its own, one of whose sessions says a lot; and, for control, a server of the same events that waits for
// no reader. Answers any message with its memory in bytes, after a collection, and the number of its connections.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { defineTool, objectSchema } from '@x/core';
import { sqliteStore, watchSession } from '@x/session';
import { serve } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { scripted } from '../../test/support/hosted.ts';

process.on('disconnect', () => process.exit()); // the suite is gone, however it went

const TURNS = 90;
const LARGE = 'x'.repeat(50_000);
const [folder = '', stallMs = '10000'] = process.argv.slice(2);

const store = sqliteStore({ path: join(folder, 'sessions.db') });
const pour = defineTool({
  name: 'pour',
  description: 'Says a lot.',
  inputSchema: objectSchema({}),
  execute: async () => LARGE,
});
const provider = scripted(({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const turn = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  const isFlood = JSON.stringify(messages[asked]?.content).includes('Flood');
  if (isFlood && turn < TURNS) return { toolCalls: [{ id: `${messages.length}`, name: 'pour', input: {} }] };
  return { text: 'Done.' };
});
const chat = { provider, model: 'm', tools: [pour], allowedTools: ['pour'] };
const sessions = sessionHost({ store, profiles: { chat }, lookEveryMs: 50, stallMs: Number(stallMs) });
const server = await serve({ port: 0, token: 'secret', logLevel: 'fatal', sessions });

const heedless = createServer((request, response) => void pourOut(request.url ?? '', response));
await new Promise<void>((resolve) => heedless.listen(0, '127.0.0.1', resolve));

process.on('message', () => {
  globalThis.gc?.();
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ bytes: heapUsed + external, connections });
});
process.send?.({ port: server.port, heedless: (heedless.address() as AddressInfo).port });

async function pourOut(path: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const event of watchSession({ store, sessionId: path.slice(1) }))
    response.write(`data: ${JSON.stringify(event)}\n\n`);
}
