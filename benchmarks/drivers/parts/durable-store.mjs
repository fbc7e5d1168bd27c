import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from '@x/agent-sdk';

/**
 * The durable store: every record is on the disk before the work goes on. No peer does that.
 * The harness deletes its scratch folder when all is measured: deleting in between would slow down the next driver.
 */
export function openDurableStore() {
  return sqliteStore({ path: join(mkdtempSync(join(process.env.BENCH_SCRATCH, 'store-')), 'log.db') });
}
