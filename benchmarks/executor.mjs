// What ToolExecutor.execute costs over the bare call: `node benchmarks/executor.mjs [--rounds 7] [--calls 100000]` after `pnpm build`.
import { parseArgs } from 'node:util';
import { ToolExecutor } from '@x/agent-sdk';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, calls: { type: 'string', default: '100000' } },
});
const [rounds, calls] = [values.rounds, values.calls].map(Number);

const input = { city: 'Turin' };
const work = async ({ city }) => city.length;
const atOnce = ({ city }) => city.length;
const executor = new ToolExecutor();
const limited = new ToolExecutor({ concurrency: { perTool: 8, perCaller: 8 } });
const { signal } = new AbortController();
const options = { timeout: 1_000, retry: 2 };
const untimed = { timeout: Infinity };
const named = { tool: 'weather', caller: 'me' };

const kinds = {
  'the bare call': () => work(input),
  'a race by hand: one timer, one controller': () => byHand(work, input, 30_000),
  execute: () => executor.execute(work, input),
  'execute, with options': () => executor.execute(work, input, options),
  'execute, with a signal': () => executor.execute(work, input, { signal }),
  'execute, timeout: Infinity': () => executor.execute(work, input, untimed),
  'execute, a function that returns at once': () => executor.execute(atOnce, input),
  'execute, concurrency per tool and caller': () => limited.execute(work, input, named),
};
const found = new Map(Object.keys(kinds).map((kind) => [kind, []]));

for (const kind of Object.values(kinds)) await cpuPerCall(kind);
for (let round = 0; round < rounds; round++) {
  for (const [kind, call] of Object.entries(kinds)) found.get(kind).push(await cpuPerCall(call));
}
const bare = median(found.get('the bare call'));
console.log('| call | CPU | over the bare call |\n| --- | --: | --: |');
for (const [kind, costs] of found) {
  console.log(`| ${kind} | ${median(costs).toFixed(2)} us | ${(median(costs) - bare).toFixed(2)} us |`);
}
console.log(
  `\nMedians of ${rounds} interleaved rounds of ${calls} calls, one after another. Node ${process.versions.node}.`,
);

/** Microseconds, garbage collection included. */
async function cpuPerCall(call) {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index++) {
    const value = await call();
    if (value !== 5) throw new Error(`The call gave ${value}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** The least that ends slow work and leaves no timer behind. */
function byHand(implementation, parameters, timeoutMs) {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const error = new Error(`out of time after ${timeoutMs} ms`);
      controller.abort(error);
      reject(error);
    }, timeoutMs);
    implementation(parameters, { signal: controller.signal })
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}
