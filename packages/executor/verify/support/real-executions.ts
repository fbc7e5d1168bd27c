// Runs as a process of its own: executions with real timers, a tenth of the written times. Prints what it saw as its last line, and must
// then end by itself.
import { getEventListeners } from 'node:events';
import { type ExecutionScript, scriptFrom } from '../../test/execution-script.ts';
import { courseOf } from '../../test/run-script.ts';
import { seededRandom } from '../../test/seeded-random.ts';
import { executors } from './faulty-executors.ts';

const [name = 'ours', count = '100', seed = '1'] = process.argv.slice(2);
const execute = executors[name];
if (!execute) throw new Error(`There is no executor ${name}`);
const before = process.getActiveResourcesInfo().toSorted();
let unhandled = 0;
process.on('unhandledRejection', () => unhandled++);
const random = seededRandom(Number(seed));
const faults: string[] = [];
const seen = { attempts: 0, late: 0, outcomes: {} as Record<string, number> };

await Promise.all(Array.from({ length: Number(count) }, () => tried(tenthOf(scriptFrom(random)))));
await new Promise((resolve) => setImmediate(resolve));
const left = process.getActiveResourcesInfo().toSorted();
if (JSON.stringify(left) !== JSON.stringify(before))
  faults.push(`resources are left: ${[...new Set(left)].join(', ')}`);
if (unhandled > 0) faults.push(`${unhandled} unhandled rejections`);
console.log(JSON.stringify({ ...seen, faults: faults.slice(0, 10) }));

async function tried(script: ExecutionScript): Promise<void> {
  const signals: AbortSignal[] = [];
  const spied: typeof execute = async (work, options) => {
    if (options.signal) signals.push(options.signal);
    return await execute!(work, options); // checked above
  };
  const { startedMs, outcome, late } = await courseOf(script, spied, () => performance.now());
  const { retry, effect } = script.options;
  const most = effect === 'non_idempotent' ? 1 : retry + 1;
  seen.attempts += startedMs.length;
  seen.late += late.length;
  seen.outcomes[outcome] = (seen.outcomes[outcome] ?? 0) + 1;
  if (startedMs.length > most) faults.push(`${startedMs.length} attempts, ${most} are allowed`);
  if (outcome === 'network error' && startedMs.length < most) {
    faults.push(`${outcome} after ${startedMs.length} of ${most} attempts`);
  }
  if (outcome !== 'TIMEOUT' && outcome !== 'ABORTED' && script.attempts[startedMs.length - 1]?.ends !== outcome) {
    faults.push(`${outcome} is not how attempt ${startedMs.length} ended`);
  }
  if (late.length > 1 || (outcome === 'TIMEOUT' && late.length !== 1))
    faults.push(`${late.length} late ends after ${outcome}`);
  const listeners = signals.flatMap((signal) => getEventListeners(signal, 'abort'));
  if (listeners.length > 0) faults.push(`${listeners.length} listeners are left`);
}

function tenthOf({ attempts, options, abortMs }: ExecutionScript): ExecutionScript {
  return {
    attempts: attempts.map((attempt) => ({ ...attempt, lastsMs: attempt.lastsMs / 10 })),
    options: { ...options, timeout: options.timeout / 10, retryDelay: options.retryDelay / 10 },
    abortMs: abortMs === undefined ? undefined : abortMs / 10,
  };
}
