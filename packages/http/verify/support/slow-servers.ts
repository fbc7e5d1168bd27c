// Two servers in a process of their own: one with its guards, the time limits short, and one of bare Node that waits for everybody.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../../src/index.ts';
import { toolsOf } from '../../test/support/served.ts';

process.on('disconnect', () => process.exit()); // the suite is gone, however it went

const limits = { headersTimeout: 1_500, requestTimeout: 3_000 };
const guarded = await serve({ registry: toolsOf(), port: 0, logLevel: 'fatal', ...limits });
const bare = createServer({ headersTimeout: 0, requestTimeout: 0 }, (_, answer) => answer.end('{}'));
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
process.send?.({ guarded: guarded.port, bare: (bare.address() as AddressInfo).port });
