// A worker that is killed: serves the sessions of one file, what is sent to them, and those that its parent asks for.
// Arguments: the file, a file that each effect is noted in, and `sweeping` or `not-sweeping`.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { localEngine, type SessionStore, serveSessions, sqliteStore } from '../../src/index.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { toolNamed } from '../../test/support/makers.ts';

const [path = '', effects = '', sweep] = process.argv.slice(2);
const store = sqliteStore({ path });
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
