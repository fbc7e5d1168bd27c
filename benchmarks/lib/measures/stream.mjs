import { median } from '../statistics.mjs';

/** CPU and wall time per text delta of a long answer. A driver may merge deltas: the divisor is what the model sent. */
export async function stream(bench, { deltas = 20_000, warmUps = 2, runs = 3 }) {
  const model = `text-${deltas}`;
  await bench.repeat(warmUps, () => bench.exchange(model));
  const timed = await bench.repeat(runs, () => bench.timedExchange(model));
  return {
    cpuUsPerDelta: median(timed.map(({ cpuUs }) => cpuUs / deltas)),
    wallUsPerDelta: median(timed.map(({ wallMs }) => (wallMs * 1000) / deltas)),
    deltasSeen: timed.at(-1).deltas,
    maxRssMB: process.resourceUsage().maxRSS / 1024,
  };
}
