// Two servers in a process of their own: one with all guards, and one of bare hono that does the same work.

import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { silentLogger } from '@x/core/internal';
import { ToolExecutor } from '@x/executor';
import { Hono } from 'hono';
import { serve } from '../../src/index.ts';
import { toolsOf } from '../../test/support/served.ts';

process.on('disconnect', () => process.exit()); // the suite is gone, however it went

const registry = toolsOf();
const { invoke } = new ToolExecutor();
const app = new Hono().post('/v1/tools/call', async (context) => {
  const start = performance.now();
  const { name, parameters } = await context.req.json();
  const result = await registry.execute(name, parameters, { invoke, signal: context.req.raw.signal });
  const executionTime = performance.now() - start;
  return context.json({ success: true, result, executionTime, timestamp: new Date().toISOString() });
});
const bare = createAdaptorServer({ fetch: app.fetch });
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
const guarded = await serve({
  registry,
  port: 0,
  token: 'secret',
  rateLimit: { max: 1_000_000_000, timeWindow: 60_000 },
  logger: silentLogger,
  logLevel: 'error',
  maxConnections: 2_000,
  headersTimeout: 3_000,
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.send?.({ guarded: guarded.port, bare: (bare.address() as AddressInfo).port });
