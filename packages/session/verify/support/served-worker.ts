// A worker that is killed: serves the sessions of one file or database, what is sent to them, and those that its parent asks for.
// Arguments: the file or the URL of the database, a file that each effect is noted in, `sweeping` or `not-sweeping`, milliseconds of lease.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { localEngine, type SessionStore, serveSessions } from '../../src/index.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { toolNamed } from '../../test/support/makers.ts';
import { storeAt } from './store-at.ts';
import { withLease } from './store-wrappers.ts';

const [place = '', effects = '', sweep, leaseMs = '30000'] = process.argv.slice(2);
const store = withLease(storeAt(place), Number(leaseMs));
const { waiting: _, ...rest } = store;
const blind: SessionStore = { ...rest, list: async () => ({ sessions: [] }) };
const engine = localEngine({ concurrency: 3, retryDelay: 10, maxRetryDelay: 50 });
const work = toolNamed('work', async (_, { idempotencyKey }) => {
  appendFileSync(effects, `${idempotencyKey}\n`);
  await sleep(20);
  return 'worked';
});
await serveSessions({
  engine,
  store: sweep === 'sweeping' ? store : blind,
  lookEveryMs: 20,
  options: () => ({ provider: answeringModel, model: 'm', tools: [work], permissionMode: 'bypassPermissions' }),
});
process.on('message', (sessionId) => void engine.submit(String(sessionId)));
process.send?.('serving');
