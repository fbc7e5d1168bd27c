// needs: initdb postgres setpriv redis-server
// alone: what is taken over is held against the end of a lease
// Sessions in Postgres whose jobs come through BullMQ, with a Redis for each trial and a network of their own to both for each worker and the front; cut as in
// suite `network-cut`. 1: a worker is cut off from Postgres, from both, in the middle of its calls for longer than a lease: another must have its sessions no later
// than a lease and two seconds after that, where only jobs bring them five. 2: a worker is cut off from Redis for longer than its jobs are its own: its calls must be
// recorded as if nothing had been. 3: everybody is cut off from Redis while messages come in: workers that look for what waits must answer them during the cut.
// 4: random cuts of one network or all while messages come in, with leases of a second. 5: redis-server is killed with -9 and started again, empty, while messages come
// in. Always: every accepted message recorded once and answered once, no call begun twice, every worker leaves by itself, no connection stays. Controls that must be
// wrong: workers that do not look, of 3 and 5; appends that compare nothing.
// CUTS=60 (random ones), KILLS=20 (of Redis), FIRST=1 (the seed), ONLY=stall (trials with this in their name)
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../test/support/redis-server.ts';
import { CUT_KINDS, type CutKind, type CutNetwork, cutFor } from './support/cut-network.ts';
import { begin, cutOffAlone, type Outcome } from './support/cut-trials.ts';
import { type CutWorker, CutWorld } from './support/cut-world.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const CUTS = amountFrom('CUTS', 60);
const KILLS = amountFrom('KILLS', 20);
const ONLY = process.env['ONLY'] ?? '';
const seed = numberFrom('FIRST', 1);
const random = randomFrom(seed);
/** Milliseconds: of leases that run out all the time; for which a job is its worker's, with what it takes to be given to another. */
const SHORT_LEASE_MS = 1_000;
const JOB_MS = 4_000;
const PATIENCE_MS = 60_000;
/** Milliseconds after the end of the lease: a job that found its session busy comes back after some time. */
const BY_JOB_MS = 5_000;

const tally = new Tally();
const server = await PostgresServer.start(['fsync=off', 'max_connections=300']);
let worlds = 0;
try {
  console.log(`seed ${seed}`);
  // They mostly wait for leases.
  await Promise.all([
    ...CUT_KINDS.map((kind) => trial(`one from Postgres, ${kind}`, (world) => alone(world, kind))),
    ...CUT_KINDS.map((kind) => trial(`one from both, ${kind}`, (world) => alone(world, kind, { where: bothOf }))),
    ...(['refuse', 'stall'] as const).map((kind) =>
      trial(`one from both, only jobs, ${kind}`, (world) =>
        alone(world, kind, { where: bothOf, isBlind: true, moreMs: BY_JOB_MS }),
      ),
    ),
  ]);
  await Promise.all([
    ...CUT_KINDS.map((kind) => trial(`one from Redis, ${kind}`, (world) => fromRedis(world, kind))),
    ...CUT_KINDS.map((kind) => trial(`all from Redis, ${kind}`, (world) => withoutRedis(world, { kind }))),
  ]);
  await Promise.all([
    trial('random cuts', randomCuts),
    trial('Redis killed', redisKilled),
    trial(
      'control, all from Redis, not looking',
      (world) => withoutRedis(world, { kind: 'refuse', isBlind: true }),
      true,
    ),
    trial('control, Redis killed, not looking', (world, redis) => redisKilled(world, redis, true), true),
    trial('control, appends that compare nothing', unfenced, true),
  ]);
} finally {
  await server[Symbol.asyncDispose]();
}
tally.end();

async function trial(
  name: string,
  act: (world: CutWorld, redis: RedisServer) => Promise<Outcome>,
  isControl = false,
): Promise<void> {
  if (!name.includes(ONLY)) return;
  const startedAt = performance.now();
  const redis = await RedisServer.start();
  const world = await CutWorld.make(server, `trial_${(worlds += 1)}`, redis);
  try {
    const { faults: own, line } = await act(world, redis);
    const faults = [...own, ...(await world.faults(isControl ? 5_000 : PATIENCE_MS))];
    const unnoticed = faults.length === 0 ? ['the harness saw nothing wrong'] : [];
    tally.check(name, isControl ? unnoticed : faults);
    const calls = `${world.calls('begun').length} calls, ${world.notAsked} asks refused`;
    const found = isControl ? (faults[0] ?? 'nothing noticed') : [line, calls].filter(Boolean).join('; ');
    console.log(`${name}: ${found} (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  } catch (error) {
    tally.check(name, [String(error)]);
  } finally {
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  }
}

async function alone(
  world: CutWorld,
  kind: CutKind,
  more: Partial<Parameters<typeof cutOffAlone>[1]> = {},
): Promise<Outcome> {
  return await cutOffAlone(world, { kind, random, isQueued: true, ...more });
}

/** Its job is given to another worker, which finds the session busy; the run goes on where it is. */
async function fromRedis(world: CutWorld, kind: CutKind): Promise<Outcome> {
  const first = await world.startWorker({ workMs: 2 * JOB_MS, isQueued: true });
  await begin(world);
  await world.startWorker({ workMs: 20, isQueued: true });
  await cutFor(queueOf(first), kind, 1.5 * JOB_MS);
  const aborted = world.calls('aborted').length;
  const unknown = await world.unknown();
  for (const index of world.sessionIds.keys()) await world.send(index, true);
  return { faults: aborted + unknown > 0 ? [`${aborted} calls aborted, ${unknown} unknown`] : [] };
}

async function withoutRedis(
  world: CutWorld,
  { kind, isBlind = false }: { readonly kind: CutKind; readonly isBlind?: boolean },
): Promise<Outcome> {
  const workers = await Promise.all([0, 1].map(() => world.startWorker({ workMs: 20, isQueued: true, isBlind })));
  const networks = [world.frontQueue, ...workers.flatMap(queueOf)];
  for (const network of networks) network.cut(kind);
  await Promise.all(world.sessionIds.map((_, index) => world.send(index, true)));
  await sleep(JOB_MS);
  for (const network of networks) network.mend();
  return { faults: [] };
}

async function randomCuts(world: CutWorld): Promise<Outcome> {
  const options = { workMs: 200, leaseMs: SHORT_LEASE_MS, isQueued: true };
  const workers = await Promise.all([world.startWorker(options), world.startWorker(options)]);
  const all = [world.front, world.frontQueue, ...workers.flatMap(bothOf)];
  const sent = await whileSending(world, async () => {
    for (let cut = 0; cut < CUTS; cut++) {
      await sleep(random() * 1_000);
      const some = random() < 0.3 ? all : [all[Math.floor(random() * all.length)]!];
      await cutFor(some, CUT_KINDS[Math.floor(random() * 4)]!, 100 + random() * 3_000);
    }
  });
  const codes = [...new Set(workers.flatMap((worker) => worker.codes))].toSorted().join();
  return { faults: [], line: `${CUTS} cuts, ${sent} messages accepted, told ${codes}` };
}

async function redisKilled(world: CutWorld, redis: RedisServer, isBlind = false): Promise<Outcome> {
  const options = { workMs: 50, leaseMs: SHORT_LEASE_MS, isQueued: true, isBlind };
  await Promise.all([world.startWorker(options), world.startWorker(options)]);
  const sent = await whileSending(world, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(random() * 1_000);
      await redis.kill();
      await sleep(random() * 1_000);
      await redis.restart();
    }
  });
  // What is sent last is asked for, and the asks are lost. A run under way would answer it, and so would another message's ask.
  await world.rests(PATIENCE_MS / 10);
  await sleep(SHORT_LEASE_MS); // jobs of what is answered already
  await redis.kill();
  await Promise.all(world.sessionIds.map((_, index) => world.send(index, true)));
  await redis.restart();
  return { faults: [], line: `${KILLS + 1} kills, ${sent} messages accepted` };
}

/** Sends to all sessions meanwhile; resolves to the number of messages that were accepted. */
async function whileSending(world: CutWorld, act: () => Promise<void>): Promise<number> {
  let [isOver, sent] = [false, 0];
  const sending = world.sessionIds.map(async (_, index) => {
    for (; !isOver; await sleep(random() * 200)) if (await world.send(index, random() < 0.7)) sent += 1;
  });
  await act();
  isOver = true;
  await Promise.all(sending);
  return sent;
}

/** The first worker believes for half a minute that it has leases that another takes after a second, who does not wait for the jobs of the first. */
async function unfenced(world: CutWorld): Promise<Outcome> {
  const options = { leaseMs: SHORT_LEASE_MS, without: 'compare' } as const;
  const first = await world.startWorker({ ...options, workMs: 4_000, isQueued: true });
  await begin(world);
  first.network.cut('stall');
  await world.startWorker({ ...options, workMs: 20 });
  while ((await world.unknown()) < world.sessionIds.length) await sleep(50);
  await sleep(5_000); // its calls have ended, and the appends wait
  first.network.mend();
  await sleep(2_000);
  return { faults: [] };
}

function queueOf({ queue }: CutWorker): readonly CutNetwork[] {
  return queue ? [queue] : [];
}

function bothOf(worker: CutWorker): readonly CutNetwork[] {
  return [worker.network, ...queueOf(worker)];
}
