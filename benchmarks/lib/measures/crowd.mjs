import { median } from '../statistics.mjs';
import { collectGarbage } from '../workbench.mjs';

const WARM_UP_SESSIONS = 40;

/** Many sessions at once in one process. */
export async function crowd(bench, { sessions = 200, turns = 10 }) {
  const model = `tools-${turns}`;
  await bench.repeat(2, () => atOnce(bench, { model, sessions: Math.min(sessions, WARM_UP_SESSIONS) }));
  collectGarbage();
  const callsBefore = bench.tool.calls;
  const cpuBefore = bench.cpuUs();
  const wallBefore = performance.now();
  const sessionMs = await atOnce(bench, { model, sessions });
  const wallMs = performance.now() - wallBefore;
  const cpuUs = bench.cpuUs() - cpuBefore;
  const calls = bench.tool.calls - callsBefore;
  if (calls !== sessions * turns) throw new Error(`crowd: ${calls} tool calls instead of ${sessions * turns}`);
  const modelTurns = sessions * (turns + 1);
  return {
    cpuUsPerTurn: cpuUs / modelTurns,
    wallUsPerTurn: (wallMs * 1000) / modelTurns,
    medianSessionMs: median(sessionMs),
    maxRssMB: process.resourceUsage().maxRSS / 1024,
  };
}

function atOnce(bench, { model, sessions }) {
  return Promise.all(
    Array.from({ length: sessions }, async () => {
      const start = performance.now();
      await bench.exchange(model, { shared: true });
      return performance.now() - start;
    }),
  );
}
