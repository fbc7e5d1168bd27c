import { readdirSync, readFileSync } from 'node:fs';

const TICK_US = 10_000;
const PAGE_BYTES = 4096;

/**
 * CPU time and resident memory of all descendants of this process. Linux only, as it reads /proc; a clock tick is 10 ms.
 * Children that have ended count through our own record of them, so that the sum never falls.
 */
export function childProcesses() {
  const processes = allProcesses();
  let cpuUs = readProcess('self')[0]?.endedChildrenUs ?? 0;
  let rssBytes = 0;
  for (const child of descendantsOf(process.pid, processes)) {
    cpuUs += child.ownUs + child.endedChildrenUs;
    rssBytes += child.rssBytes;
  }
  return { cpuUs, rssBytes };
}

/** The CPU time of a process with its descendants, those that have ended included; in microseconds. */
export function cpuUsOf(pid) {
  const processes = allProcesses();
  const all = [...processes.filter(({ id }) => id === pid), ...descendantsOf(pid, processes)];
  return all.reduce((sum, { ownUs, endedChildrenUs }) => sum + ownUs + endedChildrenUs, 0);
}

function allProcesses() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
}

function* descendantsOf(parentId, processes) {
  for (const child of processes) {
    if (child.parentId !== parentId) continue;
    yield child;
    yield* descendantsOf(child.id, processes);
  }
}

/** @returns {Array<{ id: number, parentId: number, ownUs: number, endedChildrenUs: number, rssBytes: number }>} empty when it has just ended */
function readProcess(name) {
  let stat;
  try {
    stat = readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    return [];
  }
  // proc(5): the name, field 2, is in brackets and may hold anything; what follows starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number) => Number(fields[number - 3]);
  return [
    {
      id: Number(name),
      parentId: field(4),
      ownUs: (field(14) + field(15)) * TICK_US,
      endedChildrenUs: (field(16) + field(17)) * TICK_US,
      rssBytes: field(24) * PAGE_BYTES,
    },
  ];
}
