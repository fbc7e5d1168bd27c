import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SessionEntry } from '../../src/index.ts';
import type { WorkerReport } from './append-worker.ts';
import { storeAt } from './store-at.ts';

export interface RaceOptions {
  /** A file, or the URL of a Postgres database. */
  readonly place: string;
  readonly workers: number;
  /** Of each worker. */
  readonly attempts: number;
  /** `one-epoch`: all have the same right to write. `take-over`: each takes the lease from the others, and is paused past its own. */
  readonly mode: 'one-epoch' | 'take-over';
  readonly comparing: boolean;
}
export interface RaceReport {
  readonly accepted: number;
  readonly refused: number;
  readonly staleTried: number;
  readonly epochs: number;
  readonly codes: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

/** Processes that append to one session at a time; then the log is compared with what each of them was told. */
export async function appendRace({ place, workers, attempts, mode, comparing }: RaceOptions): Promise<RaceReport> {
  const sessionId = crypto.randomUUID();
  const store = storeAt(place);
  try {
    await store.create(sessionId, { type: 'session_created', format: 1, cwd: '/' });
    const epoch = mode === 'one-epoch' ? (await store.acquire(sessionId, 'all', 600_000))!.epoch : 0;
    const facts = [String(attempts), String(epoch), comparing ? 'compare' : 'accept'];
    const names = Array.from({ length: workers }, (_, index) => String(index));
    const reports = await Promise.all(
      names.map((name) => runWorker([place, sessionId, name, ...facts], mode === 'take-over')),
    );
    const entries = await Array.fromAsync(store.read(sessionId));
    return compared(entries, reports);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** Pauses past the lease come from outside, in the middle of anything. */
async function runWorker(values: readonly string[], paused: boolean): Promise<WorkerReport> {
  const source = fileURLToPath(new URL('append-worker.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const child = spawn(process.execPath, ['--conditions=@x/source', source, ...values], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  let running = true;
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  void code.then(() => (running = false));
  while (running && paused) {
    await Promise.race([sleep(20 + 60 * Math.random()), code]);
    child.kill('SIGSTOP');
    await sleep(15);
    child.kill('SIGCONT');
  }
  if ((await code) !== 0) throw new Error(`A worker ended with ${await code}`);
  return JSON.parse(output) as WorkerReport;
}

function compared(entries: readonly SessionEntry[], reports: readonly WorkerReport[]): RaceReport {
  const faults: string[] = [];
  const found = entries.map(({ body }) => {
    const record = body.type === 'record' ? body.record : undefined;
    return record?.type === 'note' ? `${record.name} ${String(record.data)}` : body.type;
  });
  let epoch = 0;
  entries.forEach((entry, index) => {
    if (entry.seq !== index + 1) faults.push(`entry ${index + 1} has the number ${entry.seq}`);
    if (entry.epoch < epoch) faults.push(`entry ${entry.seq} has epoch ${entry.epoch} after ${epoch}`);
    epoch = entry.epoch;
  });
  const codes = new Map<string, number>();
  const all = new Set(found);
  reports.forEach(({ accepted, refused, staleAccepted, codes: own }, worker) => {
    if (staleAccepted > 0) faults.push(`${staleAccepted} stale appends of worker ${worker} were accepted`);
    for (const [attempt, seq] of accepted) {
      if (found[seq - 1] !== `worker-${worker} ${attempt}`) faults.push(`lost: attempt ${attempt} of worker ${worker}`);
    }
    for (const attempt of refused)
      if (all.has(`worker-${worker} ${attempt}`)) faults.push(`refused and written: ${attempt} of ${worker}`);
    for (const [code, times] of Object.entries(own)) codes.set(code, (codes.get(code) ?? 0) + times);
  });
  const sum = (count: (report: WorkerReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const accepted = sum((report) => report.accepted.length);
  if (entries.length !== accepted + 1) faults.push(`${entries.length - 1} entries, ${accepted} acknowledged`);
  const epochs = new Set(entries.map((entry) => entry.epoch)).size;
  const staleTried = sum((report) => report.staleTried);
  return { accepted, refused: sum((report) => report.refused.length), staleTried, epochs, codes, faults };
}
