// needs: initdb postgres setpriv
// Sessions in Postgres, served by workers in processes of their own that are killed with -9 while messages come in; after some kills the
// server is killed with -9 too, and starts again. Leases are short, so that workers take sessions from each other while both are alive.
// Every accepted message must be recorded once and answered once, every run end, no effect come twice. Control: without the comparison of
// epoch and head the logs must be broken.
// KILLS=12, FIRST=1 (the first seed)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '../src/postgres/index.ts';
import { type KilledWorkers, killedWorkers } from './support/killed-workers.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { numberFrom, Tally } from './support/tally.ts';

const KILLS = numberFrom('KILLS', 12);
const FIRST = numberFrom('FIRST', 1);
/** Kills of workers between two of the server. */
const EACH = 4;
/** Milliseconds. A living worker renews every five seconds: for the rest of them it has a lease that others may take. */
const LEASE_MS = 1_000;
const CONTROL_TRIALS = 5;

const tally = new Tally();
const notes = await mkdtemp(join(tmpdir(), 'session-verify-'));
const server = await PostgresServer.start();
try {
  const startedAt = performance.now();
  const { faults, sent, effects, unknown } = await trial({ kills: KILLS, leaseMs: LEASE_MS });
  tally.check(`${KILLS} workers killed`, faults);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${KILLS} workers and ${Math.floor(KILLS / EACH)} times the server killed with -9 while ${sent} messages came in: ${effects} effects, ` +
      `${unknown} calls cut off and reported as unknown (${seconds} s)`,
  );
  await control();
} finally {
  await server[Symbol.asyncDispose]();
  await rm(notes, { recursive: true });
}
tally.end();

interface TrialOptions {
  readonly kills: number;
  readonly leaseMs: number;
  readonly seed?: number;
  readonly guard?: 'not-comparing';
}

async function trial({ kills, leaseMs, seed = FIRST, guard }: TrialOptions): Promise<KilledWorkers> {
  const store = postgresStore({ connectionString: server.url, connections: 4 });
  try {
    return await killedWorkers({
      kills,
      sweep: 'sweeping',
      patienceMs: guard ? 3_000 : 20_000,
      store,
      place: server.url,
      folder: notes,
      seed,
      more: [`${leaseMs}`, ...(guard ? [guard] : [])],
      onKilled: async (kill) => {
        if (guard || kill % EACH !== EACH - 1) return;
        await server.kill();
        await server.restart();
      },
    });
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** Leases that end at once: both workers have every session. */
async function control(): Promise<void> {
  for (let trials = 1; trials <= CONTROL_TRIALS; trials++) {
    const { faults } = await trial({ kills: 2, leaseMs: 0, seed: FIRST + trials, guard: 'not-comparing' });
    if (faults.length === 0) continue;
    console.log(`control, without comparison: failed as it must, after ${trials} trials: ${faults[0]?.slice(0, 100)}`);
    return tally.check('control', []);
  }
  tally.check('control', [`the harness saw nothing wrong in ${CONTROL_TRIALS} trials`]);
}
