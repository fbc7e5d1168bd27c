import { median } from '../statistics.mjs';

/** CPU and wall time per turn of a tool loop. */
export async function loop(bench, { turns = 100, warmUps = 3, runs = 3 }) {
  const model = `tools-${turns}`;
  await bench.repeat(warmUps, () => bench.exchange(model));
  const timed = await bench.repeat(runs, () => bench.timedExchange(model));
  const modelTurns = turns + 1;
  return {
    cpuUsPerTurn: median(timed.map(({ cpuUs }) => cpuUs / modelTurns)),
    wallUsPerTurn: median(timed.map(({ wallMs }) => (wallMs * 1000) / modelTurns)),
  };
}
