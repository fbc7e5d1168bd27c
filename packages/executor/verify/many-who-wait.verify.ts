// Thousands of calls at one limit, alone and with a signal that all share, and limits of thousands of callers: ten times as many take
// ten times the CPU, not a hundred times. A control, whose line is gone through from its beginning, must be told apart. CALLS=30000
import { ToolExecutor } from '../src/index.ts';

const CALLS = Number(process.env['CALLS'] ?? 30_000);
/** What ten times as many may cost over ten times the time; caches and collections are noticed. */
const SLACK = 4;
const faults: string[] = [];
const limits = { concurrency: { perTool: 1, perCaller: 2 }, maxQueue: CALLS, maxWait: Number.POSITIVE_INFINITY };

await judge('calls that wait', (count) => waiting(count, undefined), true);
await judge('calls that share a signal', (count) => waiting(count, new AbortController().signal), true);
await judge('callers of their own', callers, true);
await judge('the control', control, false);
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(faults.length === 0 ? 'ok' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function judge(name: string, work: (count: number) => Promise<void>, isLinear: boolean): Promise<void> {
  await work(CALLS / 10); // warm
  const small = await cpuOf(() => work(CALLS / 10));
  const large = await cpuOf(() => work(CALLS));
  const growth = large / small / 10;
  console.log(`${name}: ${(large / CALLS).toFixed(1)} us a call, ${growth.toFixed(2)} of linear`);
  if (growth <= SLACK !== isLinear) faults.push(`${name}: ${growth.toFixed(2)} of linear`);
}

async function waiting(count: number, signal: AbortSignal | undefined): Promise<void> {
  const executor = new ToolExecutor(limits);
  const work = async () => undefined;
  const options = signal ? { tool: 't', signal } : { tool: 't' };
  await Promise.all(Array.from({ length: count }, () => executor.execute(work, {}, options)));
}

/** All are inside at the same time, so that every one of them has a limit in use. */
async function callers(count: number): Promise<void> {
  const executor = new ToolExecutor({ ...limits, concurrency: { perCaller: 2 } });
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls = Array.from({ length: count }, (_, index) =>
    executor.execute(() => promise, {}, { caller: `c${index}` }),
  );
  const more = Array.from({ length: count }, () => executor.execute(async () => undefined, {}, { caller: 'c0' }));
  resolve();
  await Promise.all([...calls, ...more]);
}

/** What a signal does with so many listeners. */
async function control(count: number): Promise<void> {
  const { signal } = new AbortController();
  const listeners = Array.from({ length: count }, () => () => undefined);
  for (const listener of listeners) signal.addEventListener('abort', listener);
  for (const listener of listeners.toReversed()) signal.removeEventListener('abort', listener);
}

/** Microseconds of all threads. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const { user, system } = process.cpuUsage();
  await work();
  const after = process.cpuUsage();
  return after.user + after.system - user - system;
}
