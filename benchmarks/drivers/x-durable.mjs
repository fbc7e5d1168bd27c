// @workspace @x/agent-sdk
// Ours with the durable store: every record is on the disk before the work goes on. No peer does that.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

// The harness deletes its scratch folder when all is measured: deleting in between would slow down the next driver.
const openStore = () => sqliteStore({ path: join(mkdtempSync(join(process.env.BENCH_SCRATCH, 'store-')), 'log.db') });

export const createSession = xDriver(openStore);
