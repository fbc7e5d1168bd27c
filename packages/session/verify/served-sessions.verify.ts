// Sessions that are served by an engine. 1: random schedules of messages, asks, failing stores, workers that leave, join and are lost,
// in one process. 2: workers in processes of their own over one file, killed with -9 at random moments while messages come in, some of
// which nobody is asked to answer. Every accepted message must be recorded once and answered once, every run end, no effect come twice.
// Controls must fail: an engine that gives up after an error, a worker that does not look for what an engine has lost.
// SCHEDULES=1500, KILLS=20, FIRST=1 (the first seed)
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type SessionStore, sqliteStore } from '../src/index.ts';
import { leases, schedule } from '../test/support/engine-schedules.ts';
import { faultsAfter, faultsIn, givingUp, newWorld, settled, type World } from '../test/support/engine-world.ts';
import { bodiesOf } from '../test/support/makers.ts';
import { finishedIn } from '../test/support/resumed.ts';
import { end, startWorker } from './support/served-process.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const SCHEDULES = amountFrom('SCHEDULES', 1500);
const KILLS = amountFrom('KILLS', 20);
const FIRST = numberFrom('FIRST', 1);

const tally = new Tally();
await schedules();
await kills();
const unseen = await killedWorkers({ kills: 1, sweep: 'not-sweeping', patienceMs: 500 });
tally.check('control, a worker that does not look', unseen.faults.length > 0 ? [] : ['the harness saw nothing wrong']);
console.log(`control, a worker that does not look: ${unseen.faults[0] ?? 'nothing noticed'}`);
tally.end();

async function schedules(): Promise<void> {
  const startedAt = performance.now();
  const holds = fc.asyncProperty(schedule, leases, async (steps, held) => {
    const faults = await faultsAfter(steps, { leases: held });
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  const run = await fc.check(holds, { numRuns: SCHEDULES, seed: FIRST });
  tally.check('random schedules', run.failed ? [fc.defaultReportMessage(run) ?? 'failed'] : []);
  console.log(`${run.numRuns} random schedules (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  const controlled = fc.asyncProperty(schedule, leases, async (steps, held) => {
    return (await faultsAfter(steps, { leases: held, make: givingUp, patienceMs: 100 })).length === 0;
  });
  const control = await fc.check(controlled, { numRuns: 200, seed: FIRST, endOnFailure: true });
  console.log(`control, an engine that gives up: seen after ${control.numRuns} schedules`);
  tally.check('control, an engine that gives up', control.failed ? [] : ['the harness saw nothing wrong']);
}

async function kills(): Promise<void> {
  const startedAt = performance.now();
  const { faults, sent, effects, unknown } = await killedWorkers({
    kills: KILLS,
    sweep: 'sweeping',
    patienceMs: 20_000,
  });
  tally.check(`${KILLS} workers killed`, faults);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${KILLS} workers killed with -9 while ${sent} messages came in: ${effects} effects, ` +
      `${unknown} calls cut off and reported as unknown (${seconds} s)`,
  );
}

interface KillOptions {
  readonly kills: number;
  readonly sweep: 'sweeping' | 'not-sweeping';
  readonly patienceMs: number;
}

/** Two workers at a time; each in turn is killed and replaced while messages come in. */
async function killedWorkers({ kills: times, sweep, patienceMs }: KillOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const [path, noted] = [join(folder, 'sessions.db'), join(folder, 'effects')];
  await writeFile(noted, '');
  const store = sqliteStore({ path });
  const world = await newWorld(store);
  const random = randomFrom(FIRST);
  const start = () => startWorker([path, noted, sweep]);
  const workers = [await start(), await start()];
  for (let kill = 0; kill < times; kill++) {
    const next = start();
    for (let message = 0; message < 4; message++) {
      await sendSomewhere(world, { workers, random, asked: sweep === 'sweeping' ? 0.66 : 0 });
      await sleep(random() * 15);
    }
    await end(workers.shift()!);
    workers.push(await next);
  }
  await Promise.all(workers.map(end));
  const last = await start();
  const done = await settled(world, patienceMs);
  await end(last);
  const keys = readFileSync(noted, 'utf8').trim().split('\n').filter(Boolean);
  for (const key of keys) world.effects.set(key, (world.effects.get(key) ?? 0) + 1);
  const faults = done ? await faultsIn(world) : ['messages wait, or a run has not ended'];
  const unknown = (await Promise.all(world.sessions.map(({ sessionId }) => unknownIn(store, sessionId)))).flat().length;
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  return { faults, sent: world.accepted.flat().length, effects: keys.length, unknown };
}

/** The calls whose effect nobody knows. */
async function unknownIn(store: SessionStore, sessionId: string): Promise<string[]> {
  const finished = finishedIn(await bodiesOf(store, sessionId));
  return finished.flatMap(({ callId, result }) => (result.interrupted === 'unknown' ? [callId] : []));
}

interface Sending {
  readonly workers: readonly ChildProcess[];
  readonly random: () => number;
  /** The share of the messages that a worker is asked to answer. */
  readonly asked: number;
}

async function sendSomewhere(world: World, { workers, random, asked }: Sending): Promise<void> {
  const index = Math.floor(random() * world.sessions.length);
  const session = world.sessions[index]!;
  const sent = world.accepted[index]!;
  const text = `<${sent.length}${random() < 0.7 ? ' work' : ''}>`;
  await session.send(text, { priority: random() < 0.3 ? 'later' : 'next' });
  sent.push(text);
  if (random() < asked) workers[Math.floor(random() * workers.length)]!.send(session.sessionId);
}
