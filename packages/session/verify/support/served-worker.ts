// A worker that is killed: serves the sessions of one file or database, what is sent to them, and those that its parent asks for.
// Arguments: the file or the URL of the database, a file that each effect is noted in, `sweeping` or `not-sweeping`, milliseconds of lease,
// and `not-comparing` for a store without the fence.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { localEngine, type SessionStore, serveSessions, sqliteStore } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { toolNamed } from '../../test/support/makers.ts';
import { withLease, withoutCompare } from './store-wrappers.ts';

const [place = '', effects = '', sweep, leaseMs = '30000', guard] = process.argv.slice(2);
const opened = place.startsWith('postgres:')
  ? postgresStore({ connectionString: place, connections: 4 })
  : sqliteStore({ path: place });
const leased = withLease(opened, Number(leaseMs));
const store = guard === 'not-comparing' ? withoutCompare(leased) : leased;
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
