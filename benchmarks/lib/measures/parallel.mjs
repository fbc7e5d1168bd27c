import { median } from '../statistics.mjs';

/** Do the calls of one turn really run at the same time? Each of them sleeps. */
export async function parallel(bench, { calls = 64, delayMs = 20, warmUps = 3, runs = 5 }) {
  const model = `parallel-${calls}`;
  await bench.repeat(warmUps, () => bench.exchange(model));
  bench.tool.delayMs = delayMs;
  const timed = await bench.repeat(runs, () => bench.timedExchange(model));
  return {
    wallMs: median(timed.map(({ wallMs }) => wallMs)),
    cpuMs: median(timed.map(({ cpuUs }) => cpuUs / 1000)),
    maxInFlight: bench.tool.maxInFlight,
  };
}
