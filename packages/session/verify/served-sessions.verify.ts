// Sessions that are served by an engine. 1: random schedules of messages, asks, failing stores, workers that leave, join and are lost,
// in one process. 2: workers in processes of their own over one file, killed with -9 at random moments while messages come in, some of
// which nobody is asked to answer. Every accepted message must be recorded once and answered once, every run end, no effect come twice.
// Controls must fail: an engine that gives up after an error, a worker that does not look for what an engine has lost.
// SCHEDULES=1500, KILLS=20, FIRST=1 (the first seed)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sqliteStore } from '../src/index.ts';
import { leases, schedule } from '../test/support/engine-schedules.ts';
import { faultsAfter, givingUp } from '../test/support/engine-world.ts';
import { type KilledWorkers, type KilledWorkersOptions, killedWorkers } from './support/killed-workers.ts';
import { amountFrom, numberFrom, Tally } from './support/tally.ts';

const SCHEDULES = amountFrom('SCHEDULES', 1500);
const KILLS = amountFrom('KILLS', 20);
const FIRST = numberFrom('FIRST', 1);

const tally = new Tally();
await schedules();
await kills();
const unseen = await inFile({ kills: 1, sweep: 'not-sweeping', patienceMs: 500 });
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
  const { faults, sent, effects, unknown } = await inFile({
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

/** Workers over one file of SQLite. */
async function inFile(options: Pick<KilledWorkersOptions, 'kills' | 'sweep' | 'patienceMs'>): Promise<KilledWorkers> {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore({ path });
  const report = await killedWorkers({ ...options, store, place: path, folder, seed: FIRST });
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  return report;
}
