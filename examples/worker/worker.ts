// Takes up what any process sends to the sessions of one file, until it is told to stop. Run by main.ts; arguments: the file, and `slow` for
// a worker whose tool does not come to its end.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, localEngine, objectSchema, serveSessions, sqliteStore } from '@x/agent-sdk';

const [path = '', pace] = process.argv.slice(2);
const baseUrl = process.env['OPENAI_BASE_URL'];
const count = defineTool({
  name: 'count',
  description: 'Counts what is in the warehouse.',
  kind: 'readonly',
  effect: 'pure', // may be run again after a crash
  inputSchema: objectSchema({ what: { type: 'string', description: 'What to count.' } }),
  execute: async ({ what }, { signal }) => {
    if (pace === 'slow') await sleep(60_000, undefined, { signal });
    return `there are 7 ${what}`;
  },
});

const store = sqliteStore({ path });
const engine = localEngine();
const serving = await serveSessions({
  engine,
  store,
  lookEveryMs: 100,
  drainMs: 5_000,
  options: () => ({
    provider: { type: 'openai-compatible', ...(baseUrl ? { baseUrl } : {}) },
    model: process.env['MODEL'] ?? 'gpt-4o-mini',
    tools: [count],
    allowedTools: ['count'],
  }),
});
process.send?.('serves');
await once(process, 'SIGTERM');
await serving[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();
process.disconnect();
