import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RewindResult } from '../../src/index.ts';
import type { Laid } from './three-states.ts';

/** Work of a process between its opening of the checkpoints and its end. */
export type Task = 'call' | 'rewind';
export type Guard = 'none' | 'record' | 'look' | 'errors';
type Thread = 'main' | 'pool' | 'keeper';

/** A system call on one of the files, the n-th of its name in its thread. */
export interface Point {
  readonly thread: Thread;
  readonly call: string;
  readonly at: number;
}

/** Action of strace at a point. */
export interface Injection extends Point {
  readonly what: 'signal=KILL' | `error=${string}`;
  /** `for good`: at every later call of the name in the thread as well. */
  readonly lasts: 'once' | 'for good';
}

interface Said {
  readonly kind: string;
  readonly value?: unknown;
  readonly error?: string;
  readonly result?: RewindResult;
}

export interface WorkerEnd {
  readonly said: readonly Said[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly errors: string;
  /** Where something was injected: lines of strace. */
  readonly injected: readonly string[];
}

/** Whatever asks the disk to keep something, writes, or changes a name or a mode. */
const CALLS =
  'fsync,fdatasync,write,writev,pwrite64,pwritev,ftruncate,fchmod,chmod,' +
  'rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat';

/** Runs a task undisturbed; gives back all system calls on its files, in their order. */
export async function pointsOf(task: Task, laid: Laid): Promise<Point[]> {
  laid.again();
  const trace = `${laid.file}.trace`;
  const { threads, end } = await start(laid, { task, guard: 'none' }, (one) => [
    '-f',
    ...watching(CALLS, trace),
    '-p',
    one.main,
  ]);
  const { code, errors } = await end;
  if (code !== 0) throw new Error(`An undisturbed ${task} ended with ${code}: ${errors}`);
  const counts = new Map<string, number>();
  const points: Point[] = [];
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, id = '', call = ''] = /^(\d+)\s+(\w+)\(/.exec(line) ?? [];
    const thread = (['main', 'pool', 'keeper'] as const).find((one) => threads[one] === id);
    if (thread === undefined) continue;
    const at = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, at);
    if (isMeant(line, laid)) points.push({ thread, call, at });
  }
  return points;
}

/** Runs a task whose system call is disturbed. */
export async function disturbed(
  laid: Laid,
  { task, guard = 'none' }: { readonly task: Task; readonly guard?: Guard },
  { thread, call, at, what, lasts }: Injection,
): Promise<WorkerEnd> {
  laid.again();
  const trace = `${laid.file}.trace`;
  rmSync(trace, { force: true });
  const { end } = await start(laid, { task, guard }, (threads) => [
    ...watching(call, trace),
    '-e',
    `inject=${call}:${what}:when=${at}${lasts === 'once' ? '' : '+'}`,
    '-p',
    threads[thread],
  ]);
  const ended = await end;
  const lines = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n') : [];
  // A process that is killed is seen no more; of errors only those on the files are meant: Node wakes its threads by writing.
  const injected = lines.filter((line) => line.includes('(INJECTED)'));
  return { ...ended, injected: injected.filter((line) => isMeant(line, laid)) };
}

/** Arguments of strace. */
function watching(calls: string, trace: string): string[] {
  return ['-y', '-o', trace, '-e', `trace=${calls}`];
}

/** In the directory, by its name or by a descriptor, or in the file that keeps the checkpoints. */
function isMeant(line: string, { root, file }: Laid): boolean {
  return line.includes(root) || line.includes(file) || line.includes('/proc/self/fd/');
}

type Threads = Readonly<Record<Thread, string>>;

/** A process that is watched by strace before it begins. */
async function start(
  { root, file }: Laid,
  { task, guard }: { readonly task: Task; readonly guard: Guard },
  traceOf: (threads: Threads) => readonly string[],
) {
  const program = join(import.meta.dirname, 'checkpoint-worker.ts');
  const flags = ['--conditions=@x/source', '--no-warnings', program, task, root, file, guard];
  // strace counts the calls of each thread for itself; most of the start would go into reading the sources.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const running = spawn(process.execPath, flags, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  running.stdin.on('error', () => undefined); // it has ended
  let errors = '';
  running.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const said: Said[] = [];
  const open = Promise.withResolvers<Threads>();
  createInterface({ input: running.stdout }).on('line', (line) => {
    const one = JSON.parse(line) as Said & Threads; // safe: written by that process
    if (one.kind === 'open') open.resolve(one);
    else said.push(one);
  });
  const end = new Promise<Omit<WorkerEnd, 'injected'>>((resolve) => {
    running.once('close', (code, signal) => resolve({ said, code, signal, errors }));
  });
  void end.then(({ code }) => open.reject(new Error(`It ended with ${code} before it began: ${errors}`)));
  const threads = await open.promise;
  await attach(running, traceOf(threads));
  return { threads, end };
}

/** Lets the process go on once it is watched. */
async function attach(running: ChildProcess, trace: readonly string[]): Promise<void> {
  const tracer = spawn('strace', trace, { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  await new Promise<void>((resolve, reject) => {
    tracer.once('error', reject);
    tracer.once('exit', () => reject(new Error(`strace could not attach: ${told}`)));
    tracer.stderr.on('data', (bytes: Buffer) => {
      told += bytes.toString();
      if (told.includes('attached')) resolve();
    });
  });
  running.stdin?.end('go');
}
