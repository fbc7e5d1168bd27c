// needs: initdb postgres setpriv
// alone: what is taken over is held against the end of a lease
// Sessions in Postgres behind networks that are cut, in four ways: connections are reset; nothing passes, and arrives later; nothing
// passes, and the connections stay dead; requests arrive and answers do not. 1: a worker alone is cut off in the middle of its calls for longer than a
// lease: another must have its sessions no later than a lease and two seconds after that, its calls must be aborted by its own clock, and it must
// serve again afterwards. 2: for less than a lease: its calls must be recorded as if nothing had been. 3: everybody is cut off for longer than a lease.
// 4: random cuts of one or all while messages come in, with leases of a second, which are lost all the time. 5: a worker is asked to leave while it is
// cut off. 6: a store on a pool of the host that waits for ever. Always: every accepted message recorded once and answered once, no call begun twice, every worker leaves by itself,
// no connection stays. Controls that must be wrong: appends that compare nothing, and appends that do not compare the head.
// CUTS=60 (random ones), FIRST=1 (the seed), ONLY=stall (trials with this in their name)
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '../src/log/slow-store.ts';
import { postgresStore } from '../src/postgres/index.ts';
import { CUT_KINDS, type CutKind, cutFor } from './support/cut-network.ts';
import { begin, cutOffAlone, LEASE_MS, LONG_MS, type Outcome } from './support/cut-trials.ts';
import { CutWorld } from './support/cut-world.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const CUTS = amountFrom('CUTS', 60);
const ONLY = process.env['ONLY'] ?? '';
const random = randomFrom(numberFrom('FIRST', 1));
/** Milliseconds. */
const SHORT_LEASE_MS = 1_000;
const PATIENCE_MS = 90_000;

const tally = new Tally();
const server = await PostgresServer.start(['fsync=off', 'max_connections=300']);
let worlds = 0;
try {
  // They mostly wait for leases.
  await Promise.all([
    ...CUT_KINDS.map((kind) =>
      trial(`one, ${kind}, longer than a lease`, (world) => cutOffAlone(world, { kind, random })),
    ),
    trial('one and its queue, stall, longer than a lease', (world) =>
      cutOffAlone(world, { kind: 'stall', random, isQueued: true }),
    ),
    ...CUT_KINDS.map((kind) => trial(`all, ${kind}, longer than a lease`, (world) => cutOffTogether(world, kind))),
  ]);
  await Promise.all([
    ...CUT_KINDS.map((kind) => trial(`one, ${kind}, shorter than a lease`, (world) => cutOffBriefly(world, kind))),
    ...CUT_KINDS.map((kind) => trial(`leaving, ${kind}`, (world) => leaving(world, kind))),
    ...(['refuse', 'stall'] as const).map((kind) =>
      trial(`a pool of the host, ${kind}`, (world) => ofTheHost(world, kind)),
    ),
    trial('random cuts', randomCuts),
    trial('one, with a short lease', (world) => fenced(world)),
    trial('control, appends that compare nothing', (world) => fenced(world, 'compare'), true),
    trial('answers lost', (world) => unanswered(world)),
    trial('control, appends that do not compare the head', (world) => unanswered(world, 'head'), true),
  ]);
} finally {
  await server[Symbol.asyncDispose]();
}
tally.end();

async function trial(name: string, act: (world: CutWorld) => Promise<Outcome>, isControl = false): Promise<void> {
  if (!name.includes(ONLY)) return;
  const startedAt = performance.now();
  const world = await CutWorld.make(server, `trial_${(worlds += 1)}`);
  try {
    const { faults: own, line } = await act(world);
    const faults = [...own, ...(await world.faults(isControl ? 5_000 : PATIENCE_MS))];
    const unnoticed = faults.length === 0 ? ['the harness saw nothing wrong'] : [];
    tally.check(name, isControl ? unnoticed : faults);
    const calls = `${world.calls('begun').length} calls`;
    const found = isControl ? (faults[0] ?? 'nothing noticed') : (line ?? calls);
    console.log(`${name}: ${found} (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  } catch (error) {
    tally.check(name, [String(error)]);
  } finally {
    await world[Symbol.asyncDispose]();
  }
}

/** Waits for it, at most a lease. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const last = performance.now() + LEASE_MS; performance.now() < last; await sleep(20)) if (await isSo()) return;
}

async function cutOffTogether(world: CutWorld, kind: CutKind): Promise<Outcome> {
  const workers = [await world.startWorker({ workMs: 10_000 }), await world.startWorker({ workMs: 10_000 })];
  await begin(world);
  const cut = cutFor([world.front, ...workers.map(({ network }) => network)], kind, LONG_MS);
  await sleep(100);
  const accepted = await Promise.all(world.sessionIds.map((_, index) => world.send(index, true)));
  await cut;
  for (const index of world.sessionIds.keys()) while (!(await world.send(index, true)));
  return { faults: [], line: `${accepted.filter(Boolean).length} of 3 messages accepted that were sent meanwhile` };
}

async function cutOffBriefly(world: CutWorld, kind: CutKind): Promise<Outcome> {
  const worker = await world.startWorker({ workMs: 1_500 });
  await world.startWorker({ workMs: 1_500 });
  await begin(world);
  await cutFor([worker.network], kind, 1_000 + random() * 4_000);
  const faults = (await world.unknown()) > 0 ? ['a call is reported as unknown'] : [];
  return { faults };
}

async function leaving(world: CutWorld, kind: CutKind): Promise<Outcome> {
  const worker = await world.startWorker({ workMs: 5_000 });
  await begin(world);
  worker.network.cut(kind);
  const startedAt = performance.now();
  const closed = once(worker.child, 'close');
  worker.child.kill('SIGTERM');
  const [code] = await Promise.race([closed, sleep(2 * LEASE_MS, ['it stays'], { ref: false })]);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  worker.network.mend();
  await world.startWorker({ workMs: 20 });
  return { faults: code === 0 ? [] : [`it ended with ${String(code)}`], line: `it left in ${seconds} s` };
}

async function randomCuts(world: CutWorld): Promise<Outcome> {
  const options = { workMs: 200, leaseMs: SHORT_LEASE_MS };
  const workers = await Promise.all([world.startWorker(options), world.startWorker(options)]);
  const all = [world.front, ...workers.map(({ network }) => network)];
  let [isOver, sent] = [false, 0];
  const sending = [0, 1, 2].map(async (index) => {
    for (; !isOver; await sleep(random() * 200)) if (await world.send(index, random() < 0.7)) sent += 1;
  });
  for (let cut = 0; cut < CUTS; cut++) {
    await sleep(random() * 1_000);
    const some = random() < 0.3 ? all : [all[Math.floor(random() * all.length)]!];
    await cutFor(some, CUT_KINDS[Math.floor(random() * 4)]!, 100 + random() * 3_000);
  }
  isOver = true;
  await Promise.all(sending);
  const codes = [...new Set(workers.flatMap((worker) => worker.codes))].toSorted().join();
  return { faults: [], line: `${CUTS} cuts, ${sent} messages accepted, told ${codes}` };
}

/** The first worker believes for half a minute that it has leases that another takes after a second. */
async function fenced(world: CutWorld, without?: 'compare'): Promise<Outcome> {
  const options = { leaseMs: SHORT_LEASE_MS, without };
  const first = await world.startWorker({ ...options, workMs: 4_000 });
  await begin(world);
  first.network.cut('stall');
  await world.startWorker({ ...options, workMs: 20 });
  await Promise.all([sleep(5_000), until(async () => (await world.unknown()) === 3)]); // its calls have ended, and the appends wait
  first.network.mend();
  await sleep(2_000);
  return { faults: [] };
}

/** The pool of a host would wait for ever. */
async function ofTheHost(world: CutWorld, kind: CutKind): Promise<Outcome> {
  const pool = world.hostPool();
  const store = postgresStore({ pool });
  await store.list();
  world.front.cut(kind);
  const asked = Array.from({ length: 4 }, () => store.list().then(() => 'answered', isRetryable));
  const told = await Promise.race([Promise.all(asked), sleep(LEASE_MS, ['nothing'], { ref: false })]);
  world.front.mend();
  await until(() =>
    store.list().then(
      () => true,
      () => false,
    ),
  );
  await Promise.all([store[Symbol.asyncDispose](), pool.end()]);
  return { faults: told.every((one) => one === true) ? [] : [`told ${told.join()}`] };
}

async function unanswered(world: CutWorld, without?: 'head'): Promise<Outcome> {
  const worker = await world.startWorker({ workMs: 300, without });
  await begin(world);
  await cutFor([worker.network], 'deaf', 2_000);
  return { faults: (await world.unknown()) > 0 ? ['a call is reported as unknown'] : [] };
}
