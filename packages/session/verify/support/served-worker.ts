// A worker that is killed: serves the sessions of one file or database, what is sent to them, and those that its parent asks for.
// Arguments: the file or the URL of the database, a file that each effect is noted in, `sweeping` or `not-sweeping`, milliseconds of lease, the URL
// of a queue that others put their asks into, milliseconds that work takes. SIGTERM: it leaves.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionStore, serveSessions } from '../../src/index.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { toolNamed } from '../../test/support/makers.ts';
import { engineAt } from './engine-at.ts';
import { storeAt } from './store-at.ts';
import { withLease } from './store-wrappers.ts';

const [place = '', effects = '', sweep, leaseMs = '30000', queue, workMs = '20'] = process.argv.slice(2);
const store = withLease(storeAt(place), Number(leaseMs));
const { waiting: _, ...rest } = store;
const blind: SessionStore = { ...rest, list: async () => ({ sessions: [] }) };
const engine = engineAt(queue, { concurrency: 3, retryDelay: 10, maxRetryDelay: 50 });
const work = toolNamed('work', async (_, { idempotencyKey }) => {
  appendFileSync(effects, `${idempotencyKey}\n`);
  await sleep(Number(workMs));
  return 'worked';
});
const serving = await serveSessions({
  engine,
  store: sweep === 'sweeping' ? store : blind,
  lookEveryMs: 20,
  options: () => ({ provider: answeringModel, model: 'm', tools: [work], permissionMode: 'bypassPermissions' }),
});
process.on('message', (sessionId) => void engine.submit(String(sessionId)));
process.once('SIGTERM', () => void leave());
process.send?.('serving');

async function leave(): Promise<void> {
  for (const one of [serving, engine, store]) await one[Symbol.asyncDispose]();
  process.disconnect();
}
