// needs: initdb postgres setpriv
// Sessions in Postgres. 1: served by workers in processes of their own that are killed with -9 while messages come in; after some kills the
// server is killed with -9 too, and starts again: every accepted message must be recorded once and answered once, every run end, no effect
// come twice. Leases are short: workers take sessions from each other while both are alive. 2: processes append to one session, in one epoch
// and taking it from each other while being paused past their leases: no gap, every stale append refused, nothing acknowledged lost.
// Control: without the comparison of epoch and head the log must be wrong.
// KILLS=20, FIRST=1 (the first seed), ATTEMPTS=200 (of each of 4 processes, in both modes)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '../src/postgres/index.ts';
import { appendRace, type RaceOptions } from './support/append-race.ts';
import { type KilledWorkers, killedWorkers } from './support/killed-workers.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { amountFrom, numberFrom, Tally } from './support/tally.ts';

const KILLS = amountFrom('KILLS', 20);
const FIRST = numberFrom('FIRST', 1);
const ATTEMPTS = amountFrom('ATTEMPTS', 200);
/** Kills of workers between two of the server. */
const EACH = 3;
/** Milliseconds. A living worker renews every five seconds: for the rest of them it has a lease that others may take. */
const LEASE_MS = 1_000;

const tally = new Tally();
const notes = await mkdtemp(join(tmpdir(), 'session-verify-'));
// Killing a process leaves what the system has taken over from it: flushing would show nothing more.
const server = await PostgresServer.start(['fsync=off']);
try {
  const startedAt = performance.now();
  const { faults, sent, effects, unknown } = await killed();
  tally.check(`${KILLS} workers killed`, faults);
  console.log(
    `${KILLS} workers and ${Math.floor(KILLS / EACH)} times the server killed with -9 while ${sent} messages came in: ${effects} effects, ` +
      `${unknown} calls cut off and reported as unknown (${secondsSince(startedAt)} s)`,
  );
  await race('4 processes, one epoch', { mode: 'one-epoch', comparing: true });
  await race('4 processes, taking over', { mode: 'take-over', comparing: true });
  await race('control, a store that does not compare', { mode: 'one-epoch', comparing: false });
} finally {
  await server[Symbol.asyncDispose]();
  await rm(notes, { recursive: true });
}
tally.end();

async function killed(): Promise<KilledWorkers> {
  const store = postgresStore({ connectionString: server.url, connections: 4 });
  try {
    return await killedWorkers({
      kills: KILLS,
      sweep: 'sweeping',
      patienceMs: 20_000,
      store,
      place: server.url,
      folder: notes,
      seed: FIRST,
      more: [`${LEASE_MS}`],
      onKilled: async (kill) => {
        if (kill % EACH !== EACH - 1) return;
        await server.kill();
        await server.restart();
      },
    });
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function race(name: string, options: Pick<RaceOptions, 'mode' | 'comparing'>): Promise<void> {
  const startedAt = performance.now();
  const { faults, accepted, refused, epochs } = await appendRace({
    place: server.url,
    workers: 4,
    attempts: ATTEMPTS,
    ...options,
  });
  const noticed = options.comparing ? `${epochs} epochs in the log` : (faults[0] ?? 'nothing noticed');
  console.log(`${name}: ${accepted} acknowledged, ${refused} refused, ${noticed} (${secondsSince(startedAt)} s)`);
  if (options.comparing) tally.check(name, faults);
  else tally.check(name, faults.length > 0 ? [] : ['the harness saw nothing wrong']);
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
