/** A fresh process up to the first text of the first answer. */
export async function first(bench, { harnessMs }) {
  const start = performance.now();
  const session = await bench.open('text-20');
  let firstDelta;
  await session.prompt('Start.', () => {
    firstDelta ??= performance.now();
  });
  const cpuMs = bench.cpuUs() / 1000;
  await session.close?.();
  return {
    processToFirstDeltaMs: firstDelta - harnessMs,
    sessionToFirstDeltaMs: firstDelta - start,
    cpuMs,
    rssMB: process.memoryUsage.rss() / 1024 / 1024,
  };
}
