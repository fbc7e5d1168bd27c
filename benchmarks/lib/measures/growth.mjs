import { median } from '../statistics.mjs';

/** How the cost of a turn moves with the length of the history. */
export async function growth(bench, { turns = 400, warmUps = 1, runs = 3 }) {
  const model = `tools-${turns}`;
  await bench.repeat(warmUps, () => bench.exchange(model));
  const measured = await bench.repeat(runs, () => markedExchange(bench, model));
  const costs = measured.map(({ marks }) => turnCosts(marks));
  const near = (from, to) => median(costs.map((each) => median(each.slice(from, to))));
  return {
    cpuMs: median(measured.map(({ cpuUs }) => cpuUs / 1000)),
    cpuUsTurn10: near(2, 18),
    cpuUsTurn100: near(85, 115),
    cpuUsLastTurn: near(turns - 31, turns - 1),
    maxRssMB: process.resourceUsage().maxRSS / 1024,
  };
}

async function markedExchange(bench, model) {
  const marks = [];
  bench.tool.onCall = () => marks.push(bench.cpuUs());
  const { cpuUs } = await bench.timedExchange(model);
  bench.tool.onCall = undefined;
  return { marks, cpuUs };
}

/** From one tool call to the next is one turn. */
function turnCosts(marks) {
  return marks.slice(1).map((mark, index) => mark - marks[index]);
}
