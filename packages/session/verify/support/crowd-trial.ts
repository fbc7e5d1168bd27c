import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SessionStore, sqliteStore } from '../../src/index.ts';
import { acknowledgedIn } from './acknowledgements.ts';
import { contentsIn } from './busy-judge.ts';
import { BOOKED, type Told } from './busy-work.ts';
import { logFaults, lostOf, recordsIn } from './judge.ts';
import { integrityFaults } from './trial-folder.ts';

const PROCESSES = 4;
/** A process is killed once it has told a number of things up to this one, and then been left alone for up to so many milliseconds. */
const THINGS = 8;
const LIFE_MS = 250;

export interface CrowdOptions {
  readonly kills: number;
  readonly random: () => number;
  readonly guard: 'none' | 'acknowledge';
}
export interface CrowdReport {
  readonly processes: number;
  readonly sessions: number;
  readonly told: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Calls reported as unknown. */
  readonly unknown: number;
  readonly faults: readonly string[];
}

/** Several processes with several sessions each on one file; each is killed at random and replaced by one that goes on. */
export async function crowdTrial({ kills, random, guard }: CrowdOptions): Promise<CrowdReport> {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore({ path });
  const faults: string[] = [];
  const lost: string[] = [];
  let killed = 0;
  const line = async (index: number) => {
    const list = join(folder, `told-${index}.jsonl`);
    let judged = 0;
    while (killed < kills) {
      const before = await acknowledgedIn(list);
      const { process: writer, ended } = startWriter([path, folder, list, guard]);
      const wanted = before.length + 1 + Math.floor(random() * THINGS);
      while (writer.exitCode === null && (await acknowledgedIn(list)).length < wanted) await sleep(5);
      await Promise.race([sleep(random() * LIFE_MS), ended]);
      if (writer.exitCode !== null) faults.push(`a process ended with ${writer.exitCode}`);
      writer.kill('SIGKILL');
      await ended;
      killed += 1;
      const told = (await acknowledgedIn(list)) as Told[]; // safe: written by these processes
      lost.push(...(await lostIn(store, told.slice(judged))));
      judged = told.length;
    }
  };
  try {
    await Promise.all(Array.from({ length: PROCESSES }, (_, index) => line(index)));
    const lists = Array.from({ length: PROCESSES }, (_, index) => acknowledgedIn(join(folder, `told-${index}.jsonl`)));
    const told = (await Promise.all(lists)).flat() as Told[]; // safe: written by these processes
    const all = await judged(store, { told, folder });
    faults.push(...integrityFaults(path), ...all.faults);
    // What was there after a kill must be there at the end.
    lost.push(...(await lostIn(store, told)));
    return { ...all, processes: PROCESSES, told: told.length, lost, faults };
  } finally {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
}

function startWriter(values: readonly string[]): { process: ChildProcess; ended: Promise<unknown> } {
  const source = fileURLToPath(new URL('busy-writer.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const writer = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', source, ...values], {
    env,
    // In the control the store refuses what comes too late.
    stdio: ['ignore', 'ignore', values.includes('acknowledge') ? 'ignore' : 'inherit'],
  });
  return { process: writer, ended: new Promise((resolve) => writer.once('exit', resolve)) };
}

async function lostIn(store: SessionStore, told: readonly Told[]): Promise<string[]> {
  const lost: string[] = [];
  for (const [sessionId, own] of Map.groupBy(told, (one) => one.sessionId)) {
    const contents = await contentsIn(store, sessionId);
    lost.push(...(contents ? lostOf(own, contents) : [`session ${sessionId}`]));
  }
  return lost;
}

/** Every log whole, and every booking made once, or reported as unknown. */
async function judged(
  store: SessionStore,
  { told, folder }: { told: readonly Told[]; folder: string },
): Promise<Pick<CrowdReport, 'sessions' | 'doubled' | 'unknown' | 'faults'>> {
  const lines = (await readFile(join(folder, BOOKED), 'utf8')).split('\n').filter((one) => one !== '');
  const bookings = Map.groupBy(lines, (one) => one);
  const doubled = [...bookings].filter(([, times]) => times.length > 1).map(([booking]) => booking);
  const sessions = new Set(told.map(({ sessionId }) => sessionId));
  const faults: string[] = [];
  let unknown = 0;
  for (const sessionId of sessions) {
    const entries = (await contentsIn(store, sessionId))?.entries ?? [];
    faults.push(...logFaults(entries));
    for (const { callId, result } of recordsIn(entries, 'tool_finished')) {
      if (result.interrupted === 'unknown') unknown += 1;
      else if (result.output.startsWith('Booked') && !bookings.has(`${sessionId} ${callId}`)) {
        faults.push(`call ${callId} of ${sessionId} is answered and had no effect`);
      }
    }
  }
  return { sessions: sessions.size, doubled, unknown, faults };
}
