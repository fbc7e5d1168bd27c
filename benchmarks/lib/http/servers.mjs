/**
 * Servers of POST /v1/tools/call in one process: ours with all its guards, bare hono and fastify, which do the same work. Told the folder of the
 * peers; says the ports, and its CPU time whenever it is asked.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ToolExecutor, ToolRegistry } from '@x/agent-sdk';
import { serve } from '@x/agent-sdk/http';

process.on('disconnect', () => process.exit());

const peers = createRequire(join(process.argv[2], 'package.json'));
const { Hono } = peers('hono');
const { createAdaptorServer } = peers('@hono/node-server');
const { fastify } = peers('fastify');

const registry = new ToolRegistry();
const parameters = [{ name: 'a', type: 'number', description: 'a number', required: true }];
registry.register({ name: 'add-one', description: 'Adds one to a number', parameters }, async ({ a }) => a + 1);
const { invoke } = new ToolExecutor();

/** The work of a call: the tool's own checks, its time limit, its answer. */
async function called({ name, parameters: given }, signal) {
  const start = performance.now();
  const result = await registry.execute(name, given, { invoke, ...(signal ? { signal } : {}) });
  return { success: true, result, executionTime: performance.now() - start, timestamp: new Date().toISOString() };
}

const hono = new Hono().post('/v1/tools/call', async (context) =>
  context.json(await called(await context.req.json(), context.req.raw.signal)),
);
const bare = createAdaptorServer({ fetch: hono.fetch });
await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
const other = fastify().post('/v1/tools/call', async ({ body }) => await called(body));
await other.listen({ port: 0, host: '127.0.0.1' });
const ours = await serve({
  registry,
  port: 0,
  token: 'secret',
  rateLimit: { max: 1_000_000_000, timeWindow: 60_000 },
  logLevel: 'error',
});

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.send({ ours: ours.port, hono: bare.address().port, fastify: other.server.address().port });
