import { settleHeap } from '../workbench.mjs';

/**
 * Memory of an open session that has had one exchange and waits. The figure is the slope between a quarter of the
 * sessions and all of them, so that what a process needs once is not counted as a session's.
 */
export async function idle(bench, { sessions = 1000, lanes = 20 }) {
  for (let index = 0; index < 20; index++) await bench.exchange('tools-1');
  const held = [];
  const marks = [await readMemory(bench, held)];
  const callsBefore = bench.tool.calls;
  for (const target of [Math.max(1, Math.floor(sessions / 4)), sessions]) {
    await fill(bench, { held, target, lanes });
    marks.push(await readMemory(bench, held));
  }
  const calls = bench.tool.calls - callsBefore;
  if (calls !== sessions) throw new Error(`idle: ${calls} tool calls instead of ${sessions}`);
  const [empty, quarter, full] = marks;
  const added = full.sessions - quarter.sessions;
  return {
    heapKBPerSession: (full.heapBytes - quarter.heapBytes) / 1024 / added,
    rssKBPerSession: (full.rssBytes - quarter.rssBytes) / 1024 / added,
    heapKBPerSessionFromNone: (full.heapBytes - empty.heapBytes) / 1024 / sessions,
    rssMB: full.rssBytes / 1024 / 1024,
    sessions: held.length,
  };
}

async function fill(bench, { held, target, lanes }) {
  let opened = held.length;
  const lane = async () => {
    while (opened < target) {
      opened++;
      const session = await bench.open('tools-1');
      await bench.ask(session, 'tools-1', { shared: true });
      held.push(session);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function readMemory({ spawnsChild }, held) {
  await settleHeap();
  const { heapUsed, rss } = process.memoryUsage();
  const own = { sessions: held.length, heapBytes: heapUsed, rssBytes: rss };
  if (!spawnsChild) return own;
  const { childProcesses } = await import('../child-processes.mjs');
  return { ...own, rssBytes: rss + childProcesses().rssBytes };
}
