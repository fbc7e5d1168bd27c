// Executions from seeds, with random time-outs, aborts, failures and retries. 1: under virtual time, where attempts, delays, outcomes and
// late ends must be those that an independent model foresees. 2: with real timers in a process of its own, which must be left without
// handles, listeners and unhandled rejections and end by itself. Executors with a fault each (a leaked timer, a lost retry, a doubled
// attempt) must be noticed in both.
// EXECUTIONS=10000 REAL=2000 SEED=<today>
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Execute, foreseen, scriptFrom } from '../test/execution-script.ts';
import { courseOf } from '../test/run-script.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { executors } from './support/faulty-executors.ts';
import { VirtualTime } from './support/virtual-time.ts';

const run = promisify(execFile);
const EXECUTIONS = Number(process.env['EXECUTIONS'] ?? 10_000);
const REAL = Number(process.env['REAL'] ?? 2_000);
const SEED = Number(process.env['SEED'] ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));
/** Enough for the work of the child, and less than a leaked timer would keep it. */
const CHILD_MS = 25_000;
const CONTROL_MS = 8_000;
const CONTROLS = 300;
let failed = 0;
let passed = 0;

const virtual = await underVirtualTime(executors['ours']!, EXECUTIONS);
report(`${EXECUTIONS} executions under virtual time (seed ${SEED}): ${virtual.counts}`, virtual.faults);
const real = await withRealTimers('ours', REAL, CHILD_MS);
report(`${REAL} executions with real timers: ${real.counts}`, real.faults);
for (const [name, execute] of Object.entries(executors)) {
  if (name === 'ours') continue;
  const found = [await underVirtualTime(execute, CONTROLS), await withRealTimers(name, CONTROLS, CONTROL_MS)];
  const silent = found.flatMap(({ faults }, index) =>
    faults.length > 0 ? [] : [`nothing noticed in part ${index + 1}`],
  );
  report(`control, ${name}: ${found.map(({ faults }) => faults[0]?.slice(-150)).join(' | ')}`, silent);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

interface Findings {
  readonly counts: string;
  readonly faults: readonly string[];
}

async function underVirtualTime(execute: Execute, executions: number): Promise<Findings> {
  const time = new VirtualTime();
  const random = seededRandom(SEED);
  const faults: string[] = [];
  const outcomes = new Map<string, number>();
  let attempts = 0;
  let late = 0;
  time.install();
  const runs = Array.from({ length: executions }, async () => {
    const script = scriptFrom(random);
    const seen = await courseOf(script, execute, () => performance.now());
    const expected = foreseen(script);
    attempts += seen.startedMs.length;
    late += seen.late.length;
    outcomes.set(seen.outcome, (outcomes.get(seen.outcome) ?? 0) + 1);
    if (JSON.stringify(seen) === JSON.stringify(expected)) return;
    faults.push(`${JSON.stringify(script)} went ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`);
  });
  const ended = Promise.all(runs).then(() => {
    if (time.waiting > 0) faults.push(`${time.waiting} timers are left`);
  });
  await time.pass();
  await ended;
  time.uninstall();
  const told = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).toSorted();
  return { counts: `${attempts} attempts, ${late} late ends; ${told.join(', ')}`, faults };
}

async function withRealTimers(name: string, executions: number, timeout: number): Promise<Findings> {
  const program = fileURLToPath(new URL('support/real-executions.ts', import.meta.url));
  const values = ['--conditions=@x/source', '--no-warnings', program, name, String(executions), String(SEED)];
  try {
    const { stdout } = await run(process.execPath, values, { timeout });
    const { faults, attempts, late, outcomes } = JSON.parse(stdout) as {
      faults: string[];
      attempts: number;
      late: number;
      outcomes: Record<string, number>;
    };
    return { counts: `${attempts} attempts, ${late} late ends; ${JSON.stringify(outcomes)}`, faults };
  } catch (error) {
    const { killed, stdout } = error as { killed?: boolean; stdout?: string };
    const reason = killed ? 'the process did not end by itself' : String(error);
    return { counts: stdout ?? '', faults: [reason, stdout ?? ''] };
  }
}

function report(what: string, faults: readonly string[]): void {
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${what}`);
  for (const fault of faults.slice(0, 5)) console.log(`     ${fault.slice(0, 600)}`);
  if (faults.length === 0) passed++;
  else failed++;
}
