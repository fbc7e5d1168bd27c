import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process holds. */
export interface Held {
  /** Bytes of the heap, and of buffers outside of it. */
  readonly memory: number;
  /** Timers, sockets, pipes and the like that are open, by kind. */
  readonly handles: readonly string[];
  /** Open file descriptors. */
  readonly files: number;
  readonly children: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // exposed by the line above

/** Measured when everything that had to end had the time to, after garbage collection. */
export async function measure(): Promise<Held> {
  for (let round = 0; round < 4 || (isWriting() && round < 500); round++) {
    await wait(20);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return {
    memory: heapUsed + external,
    handles: process.getActiveResourcesInfo().toSorted(),
    files: readdirSync('/proc/self/fd').length,
    children: childrenOf(process.pid),
  };
}

/** To a pipe whose reader, another process, is slow. */
function isWriting(): boolean {
  return process.getActiveResourcesInfo().includes('SimpleWriteWrap');
}

/** Where `later` holds more than `earlier`; `spare` bytes of memory are nobody's fault. */
export function growth(earlier: Held, later: Held, spare: number): string[] {
  const memory = later.memory - earlier.memory;
  const handles = later.handles.length - earlier.handles.length;
  return [
    ...(memory > spare ? [`${inKilobytes(memory)} kB more memory`] : []),
    ...(handles > 0 ? [`${handles} more handles: ${[...new Set(later.handles)].join(', ')}`] : []),
    ...(later.files > earlier.files ? [`${later.files - earlier.files} more open files`] : []),
    ...(later.children > earlier.children ? [`${later.children - earlier.children} more child processes`] : []),
  ];
}

/** For people. */
export function inKilobytes(bytes: number): number {
  return Math.round(bytes / 1024);
}

function childrenOf(pid: number): number {
  const texts = readdirSync(`/proc/${pid}/task`).map((task) => readChildren(pid, task));
  return texts.join(' ').split(' ').filter(Boolean).length;
}

/** A thread may end while it is looked at. */
function readChildren(pid: number, task: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8');
  } catch {
    return '';
  }
}
