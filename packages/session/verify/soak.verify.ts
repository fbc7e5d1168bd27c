// needs: initdb postgres setpriv
// alone: it counts connections and memory of four workers at full load
// Many runs in Postgres by four workers in processes of their own, of which one is killed with -9 in each batch of 50 messages. Leases of a second and calls
// that take longer: workers take sessions from each other while both are alive, and some are stopped past their leases and go on. Every accepted message must be recorded once, in the order of its
// sending, and answered once; no call begin twice; every run end; connections never be more than the workers may have, and be gone
// when they have left; the memory of the worker that is never killed be the same in the last third as in the first. Control: appends that compare nothing.
// SESSIONS=200, RUNS=1000, FIRST=1 (the seed)
import { Client } from 'pg';
import type { Held } from './support/measure.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { type Soaked, type SoakOptions, soak } from './support/soak.ts';
import { IS_WHOLE, numberFrom, Tally } from './support/tally.ts';

const SESSIONS = numberFrom('SESSIONS', IS_WHOLE ? 2_000 : 200);
const RUNS = numberFrom('RUNS', IS_WHOLE ? 10_000 : 1_000);
const FIRST = numberFrom('FIRST', 1);
const BATCH = 50;
/** Bytes that a process may hold more in the last third: what is compiled and cached by then. */
const SPARE = 8_000_000;

const tally = new Tally();
// Killing a process leaves what the system has taken over from it: flushing would show nothing more.
const server = await PostgresServer.start(['fsync=off']);
try {
  const slow = { share: 0.02, ms: 1_500 };
  await trial('soak', { sessions: SESSIONS, runs: RUNS, isKilling: true, slow, patienceMs: 120_000 });
  const always = { share: 0.8, ms: 1_500 };
  const control = { sessions: 50, runs: 200, isKilling: false, slow: always, patienceMs: 20_000 };
  await trial('control, appends that compare nothing', { ...control, without: 'compare' });
} finally {
  await server[Symbol.asyncDispose]();
}
tally.end();

async function trial(name: string, options: Omit<SoakOptions, 'url' | 'seed' | 'batch'>): Promise<void> {
  const startedAt = performance.now();
  const database = `soak_${options.without ?? 'whole'}`;
  await createDatabase(database);
  const url = server.url.replace('/postgres?', `/${database}?`);
  const soaked = await soak({ ...options, url, seed: FIRST, batch: BATCH });
  const faults = [...soaked.faults, ...(options.without ? [] : growthIn(soaked))];
  const unnoticed = faults.length === 0 ? ['the harness saw nothing wrong'] : [];
  tally.check(name, options.without ? unnoticed : faults);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const figures = options.without ? (faults[0] ?? 'nothing noticed') : figuresOf(soaked);
  console.log(`${name}, seed ${FIRST}, ${options.sessions} sessions, ${options.runs} runs: ${figures} (${seconds} s)`);
}

/** Memory and connections that have grown. */
function growthIn({ held, connections, mostConnections, kills, unknown }: Soaked): string[] {
  const [before, after] = thirdsOf(held);
  const most = Math.max(...connections);
  return [
    ...(after - before > SPARE ? [`${inMegabytes(before)} MB of memory, then ${inMegabytes(after)}`] : []),
    ...(most > mostConnections ? [`${most} connections, of ${mostConnections}`] : []),
    ...(kills > 0 && unknown > 0 ? [] : ['no call was cut off: the kills came too late']),
  ];
}

function figuresOf({ kills, effects, unknown, epochs, held, connections, mostConnections }: Soaked): string {
  const [before, after] = thirdsOf(held).map(inMegabytes);
  return (
    `${kills} workers killed with -9, ${effects} calls, ${unknown} of them reported as unknown, ${epochs} owners; ` +
    `${before} MB of memory in the first third, ${after} in the last; ${Math.max(...connections)} connections at most, of ${mostConnections}`
  );
}

/** The means of the first and the last third. */
function thirdsOf(held: readonly Held[]): readonly [number, number] {
  const third = Math.ceil(held.length / 3);
  const mean = (some: readonly Held[]) => some.reduce((sum, { memory }) => sum + memory, 0) / some.length;
  return [mean(held.slice(0, third)), mean(held.slice(-third))];
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

async function createDatabase(name: string): Promise<void> {
  const client = new Client(server.url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}
