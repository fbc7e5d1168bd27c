// needs: initdb postgres setpriv redis-server
// Sessions in Postgres that are served through pg-boss on the same server, and through BullMQ on a Redis. For each, 1: the contract of
// engines, each case with a queue of its own. 2: workers are killed with -9 while messages come in; they look for nothing by themselves, so that only
// jobs bring sessions: those of dead workers must come back. 3: a worker that is asked to leave while it works: another goes on long before
// its lease would have run out. Control: it does not after one that was killed. Every accepted message must be recorded once and answered
// once, every run end, no effect come twice. 4: the queue loses all of its jobs: workers that look for what waits must lose no message. Control:
// those that do not look must. Meanwhile 5: `examples/many-workers` on the server, in a database of its own: a front, and two workers of which one is
// killed; it waits for a whole lease.
// KILLS=12, FIRST=1 (the first seed)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { postgresStore } from '../src/postgres/index.ts';
import { engineContract } from '../src/testing/index.ts';
import { RedisServer } from '../test/support/redis-server.ts';
import { engineAt } from './support/engine-at.ts';
import { type KilledWorkersOptions, killedWorkers } from './support/killed-workers.ts';
import { manyWorkersExample } from './support/many-workers-example.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { leave } from './support/served-process.ts';
import { amountFrom, numberFrom, Tally } from './support/tally.ts';

const KILLS = amountFrom('KILLS', 12);
const FIRST = numberFrom('FIRST', 1);
/** Milliseconds; of a worker that leaves, longer than anybody waits for it. */
const SHORT_LEASE_MS = 1_000;
const LONG_LEASE_MS = 60_000;
/** Milliseconds: work is under way when its worker is stopped. */
const WORK_MS = 1_500;

/** A queue of another program. */
interface Queue {
  readonly name: string;
  readonly url: string;
  /** Removes all jobs. */
  readonly lose: () => Promise<void>;
}

const tally = new Tally();
const server = await PostgresServer.start(['fsync=off']);
const redis = await RedisServer.start();
try {
  const example = manyWorkersExample(server.url); // waits more than it works
  await checked({ name: 'pg-boss', url: server.url, lose: truncate });
  await checked({ name: 'BullMQ', url: redis.url, lose: flush });
  tally.check('examples/many-workers', await example);
} finally {
  await redis[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
}
tally.end();

async function checked(queue: Queue): Promise<void> {
  await contract(queue);
  // A job comes back after 15 seconds at most.
  const killing = { sweep: 'not-sweeping', leaseMs: SHORT_LEASE_MS, patienceMs: 30_000 } as const;
  await serve(queue, `${KILLS} workers killed`, { kills: KILLS, ...killing });
  const leaving = { kills: 0, atATime: 1, sweep: 'not-sweeping', leaseMs: LONG_LEASE_MS, patienceMs: 8_000 } as const;
  const working = { inHand: 4, workMs: WORK_MS } as const;
  await serve(queue, 'a worker left', { ...leaving, ...working, stop: leave });
  await serve(queue, 'control, a worker killed', { ...leaving, ...working, isControl: true });
  const onEnded = async (send: () => Promise<void>) => {
    await send();
    await queue.lose();
  };
  const losing = { kills: 0, atATime: 0, leaseMs: SHORT_LEASE_MS, onEnded } as const;
  await serve(queue, 'jobs lost', { ...losing, sweep: 'sweeping', patienceMs: 20_000 });
  await serve(queue, 'control, jobs lost', { ...losing, sweep: 'not-sweeping', patienceMs: 2_000, isControl: true });
}

async function contract({ name, url }: Queue): Promise<void> {
  const startedAt = performance.now();
  let queues = 0;
  const make = () => engineAt(url, { queue: `contract-${(queues += 1)}`, retryDelay: 1, maxRetryDelay: 4 });
  const cases = engineContract(make, { patienceMs: 20_000 });
  for (const one of cases) {
    const fault = await one.run().then(() => undefined, String);
    tally.check(`${name}: ${one.name}`, fault === undefined ? [] : [fault]);
  }
  console.log(`${name}, contract: ${cases.length} cases (${secondsSince(startedAt)} s)`);
}

interface Serving
  extends Pick<KilledWorkersOptions, 'kills' | 'atATime' | 'sweep' | 'patienceMs' | 'stop' | 'inHand' | 'onEnded'> {
  readonly leaseMs: number;
  readonly workMs?: number;
  /** Something must be wrong. */
  readonly isControl?: boolean;
}

async function serve(
  queue: Queue,
  trialName: string,
  { leaseMs, workMs = 20, isControl = false, ...options }: Serving,
): Promise<void> {
  const startedAt = performance.now();
  const name = `${queue.name}, ${trialName}`;
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [place, store, engine] = [server.url, postgresStore({ connectionString: server.url }), engineAt(queue.url)];
  try {
    const more = [`${leaseMs}`, queue.url, `${workMs}`];
    const ask = (sessionId: string) => engine.submit(sessionId);
    const trial = await killedWorkers({ ...options, store, place, folder, seed: FIRST, more, ask });
    const { faults, sent, effects, unknown } = trial;
    const unnoticed = isControl && faults.length === 0 ? ['the harness saw nothing wrong'] : [];
    tally.check(name, isControl ? unnoticed : faults);
    const found = isControl ? (faults[0] ?? 'nothing noticed') : `${effects} effects, ${unknown} reported as unknown`;
    console.log(`${name}, ${sent} messages: ${found} (${secondsSince(startedAt)} s)`);
  } finally {
    await engine[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
}

async function truncate(): Promise<void> {
  const client = new Client(server.url);
  await client.connect();
  await client.query('truncate pgboss.job');
  await client.end();
}

async function flush(): Promise<void> {
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
