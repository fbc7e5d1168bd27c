import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '../../src/index.ts';
import { type Acknowledgement, acknowledgedIn } from './acknowledgements.ts';
import { layOut } from './demo-plan.ts';
import { type Contents, contentsOf } from './do-work.ts';
import type { Plan } from './plan.ts';

export interface Trial {
  readonly folder: string;
  readonly workspace: string;
  readonly planName: 'demo' | 'short' | 'ticking';
  readonly guard: 'none' | 'write-ahead' | 'acknowledge' | 'repair' | 'flush' | 'watcher' | 'resume' | 'both';
}

/** What a stopped process has left. */
export interface Remains {
  readonly contents: Contents;
  readonly acknowledged: readonly Acknowledgement[];
  /** What SQLite says of its file; empty when all is well. */
  readonly damage: readonly string[];
}

/** A fresh folder with the files of the plan. Removed by `clear`. */
export async function layTrial(plan: Plan, { planName, guard }: Pick<Trial, 'planName' | 'guard'>): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
  const workspace = join(folder, 'workspace');
  await layOut(workspace, plan);
  return { folder, workspace, planName, guard };
}

export async function clear({ folder }: Trial): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

export interface RunningChild {
  readonly process: ChildProcess;
  /** Resolves when the session begins, or the process has ended before. */
  readonly begun: Promise<void>;
  /** Resolves when the model is first asked, or the process has ended before. */
  readonly asks: Promise<void>;
  readonly ended: Promise<ChildEnd>;
}
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
}

export interface StartOptions {
  readonly leaseMs?: number;
  /** Of Node. */
  readonly flags?: readonly string[];
  /** In a group of its own. */
  readonly detached?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of strace, which is attached when the process begins its work: what it does before that would take most of the time. */
  readonly trace?: readonly string[];
}

/** A process that does what is left of the trial's plan. */
export function startChild(
  trial: Trial,
  { leaseMs = 1, flags = [], detached = false, env: more = {}, trace }: StartOptions = {},
): RunningChild {
  const child = fileURLToPath(new URL('child.ts', import.meta.url));
  const values = [
    ...flags,
    '--conditions=@x/source',
    child,
    trial.folder,
    trial.planName,
    trial.guard,
    String(leaseMs),
    trace ? 'wait' : 'go',
  ];
  // Most of the start of a process would go into reading the sources.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...more };
  const running = spawn(process.execPath, values, { env, detached, stdio: ['pipe', 'pipe', 'pipe'] });
  running.stdin.on('error', () => undefined); // it has ended
  if (!trace) running.stdin.end();
  let errors = '';
  running.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    running.once('error', reject);
    // 'exit', not 'close': commands of a killed process may still hold the pipes.
    running.once('exit', (code, signal) => resolve({ code, signal, errors }));
  });
  let printed = '';
  const says = (word: string) => {
    const said = new Promise<void>((resolve) => {
      running.stdout.on('data', () => printed.includes(word) && resolve());
    });
    return Promise.race([said, ended.then(() => undefined)]);
  };
  running.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const begun = says('begins');
  const asks = says('asks');
  return { process: running, begun: trace ? begun.then(() => attach(running, trace)) : begun, asks, ended };
}

/** Lets the process go on once it is watched. */
async function attach(running: ChildProcess, trace: readonly string[]): Promise<void> {
  const tracer = spawn('strace', ['-f', ...trace, '-p', String(running.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    tracer.once('error', reject);
    tracer.once('exit', () => reject(new Error(`strace could not attach: ${said}`)));
    tracer.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes('attached')) resolve();
    });
  });
  running.stdin?.end('go');
}

/** Looks at a copy, so that the process that goes on finds the files as the kill has left them. */
export async function remainsOf({ folder }: Trial): Promise<Remains> {
  const copy = join(folder, 'copy');
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy);
  const path = join(copy, 'sessions.db');
  const absent = await copyFile(join(folder, 'sessions.db'), path).then(
    () => false,
    () => true,
  );
  await copyFile(join(folder, 'sessions.db-wal'), `${path}-wal`).catch(() => undefined); // there is none after a clean end
  const acknowledged = await acknowledgedIn(join(folder, 'acknowledged.jsonl'));
  if (absent) return { contents: { entries: [], waiting: [], waitingIds: [] }, acknowledged, damage: [] };
  const damage = integrityFaults(path);
  const store = sqliteStore({ path });
  try {
    return { contents: await contentsOf(store), acknowledged, damage };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** What SQLite says of a file; empty when all is well. */
export function integrityFaults(path: string): string[] {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare('pragma integrity_check').all();
    return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
  } finally {
    database.close();
  }
}
