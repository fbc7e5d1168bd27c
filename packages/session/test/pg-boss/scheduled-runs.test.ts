import { PGlite } from '@electric-sql/pglite';
import { fromPglite, PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  createSession,
  type EntryBody,
  type ISession,
  listSessions,
  memoryStore,
  serveSessions,
} from '../../src/index.ts';
import { pgBossEngine } from '../../src/pg-boss/index.ts';
import { answeringModel } from '../support/engine-world.ts';
import { bodiesOf } from '../support/makers.ts';

let client: PGlite;
let boss: PgBoss;
beforeAll(async () => {
  client = await PGlite.create();
  const often = { cronMonitorIntervalSeconds: 1, cronWorkerIntervalSeconds: 1 };
  boss = new PgBoss({ db: fromPglite(client), backend: 'pglite', supervise: false, ...often });
  await boss.start();
}, 240_000);
afterAll(async () => {
  await boss.stop({ graceful: false });
  await client.close();
});

it('starts one run for each time of a schedule of pg-boss, though its job may come twice', {
  timeout: 120_000,
}, async () => {
  const store = memoryStore();
  const engine = pgBossEngine({ boss, pollEveryMs: 20 });
  const options = { store, provider: answeringModel, model: 'm' };
  const [keyed, unkeyed] = [await createSession(options), await createSession(options)];
  const serving = await serveSessions({ engine, store, options: () => options });
  const times = new Set<string>();
  await boss.createQueue('report');
  await boss.work('report', async ([job]) => {
    for (const _ of ['a first time', 'and again']) {
      await keyed.send('Report', { idempotencyKey: job!.id });
      await unkeyed.send('Report'); // negative control
    }
    for (const { sessionId } of [keyed, unkeyed]) await engine.submit(sessionId);
    times.add(job!.id);
  });

  await boss.schedule('report', 'FREQ=SECONDLY', null);
  await vi.waitFor(() => expect(times.size).toBeGreaterThan(0), { timeout: 60_000 });
  await boss.unschedule('report');
  await boss.offWork('report');

  const asked = async ({ sessionId }: ISession) => {
    const bodies = await bodiesOf(store, sessionId);
    const isAsk = (body: EntryBody) =>
      body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'user';
    return bodies.filter(isAsk).length;
  };
  const states = async () => (await listSessions({ store })).sessions.map(({ state }) => state);
  await vi.waitFor(async () => expect(await asked(unkeyed)).toBe(2 * times.size), { timeout: 60_000 });
  await vi.waitFor(async () => expect(await states()).toEqual(['idle', 'idle']), { timeout: 60_000 });
  expect(await asked(keyed)).toBe(times.size);
  for (const one of [serving, engine, keyed, unkeyed, store]) await one[Symbol.asyncDispose]();
});
