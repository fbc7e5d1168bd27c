/** A server of sessions, whose model says so many pieces; says its port, and its CPU time and memory whenever it is asked. */
import { memoryStore } from '@x/agent-sdk';
import { serve } from '@x/agent-sdk/http';
import { sessionHost } from '@x/agent-sdk/http/sessions';
import { scriptedModel } from '@x/agent-sdk/testing';

process.on('disconnect', () => process.exit());

const pieces = Array.from({ length: Number(process.argv[2]) }, (_, index) => `piece ${index} of a text, `);
const provider = { type: 'custom', createModel: (name) => scriptedModel(() => ({ text: pieces }), { name }) };
const most = 10_000;
const { port } = await serve({
  port: 0,
  token: 'secret',
  logLevel: 'error',
  maxConnections: most,
  sessions: sessionHost({
    store: memoryStore(),
    profiles: { chat: { provider, model: 'm', allowedTools: [] } },
    maxStreams: most,
  }),
});

process.on('message', () => void answer());
process.send(port);

async function answer() {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ cpuUs: user + system, bytes: heapUsed + external });
}
