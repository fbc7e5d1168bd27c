import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@x/core';

const PREFIX = 'agent-sdk-';
/** Milliseconds between tries. */
const WAITS = [1, 2, 5, 10, 20, 50];
/** Groups of this process that could not be removed yet. */
const late = new Set<string>();

/** A cgroup of the kernel that holds the number of processes of one command. */
export interface ProcessGroup {
  /** A process of one thread that writes `0` here is in the group, and all that it starts. */
  readonly entrance: string;
  /** Removes the group; its last processes may be ending just now. One that takes longer goes with a later one. */
  remove(): Promise<void>;
}

/**
 * A new group for at most `most` processes; undefined where this process may not make one. For root only: the kernel does not apply
 * RLIMIT_NPROC to it, and for others it is enough.
 */
export function processGroup(most: number): ProcessGroup | undefined {
  for (const parent of parents()) {
    const place = join(parent, `${PREFIX}${process.pid}-${crypto.randomUUID()}`);
    try {
      mkdirSync(place);
      if (existsSync(join(place, 'pids.max'))) {
        writeFileSync(join(place, 'pids.max'), String(most));
        return { entrance: entranceOf(place), remove: () => removeSoon(place) };
      }
      rmdirSync(place);
    } catch {
      remove(place); // read-only, or not ours
    }
  }
  return undefined;
}

/**
 * The kernel waits for all processors (10 to 20 ms) before it moves a process (`cgroup.procs`), and does not when a thread moves itself
 * (`cgroup_procs_write_start` of Linux 5.5 and later); a file for threads that takes any process is in version 1 alone.
 */
function entranceOf(place: string): string {
  const threads = join(place, 'tasks');
  return existsSync(threads) ? threads : join(place, 'cgroup.procs');
}

/** Removes groups that processes have left that are gone. */
export function sweepProcessGroups(): void {
  for (const parent of parents()) {
    for (const name of namesIn(parent)) if (isAbandoned(name)) remove(join(parent, name));
  }
}

function isAbandoned(name: string): boolean {
  const [, maker] = /^agent-sdk-(\d+)-/.exec(name) ?? [];
  return maker !== undefined && !existsSync(`/proc/${maker}`);
}

/** The groups that this process is in, of the version that counts processes (cgroups(7)). */
function parents(): string[] {
  return readText('/proc/self/cgroup')
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (path === undefined) return [];
      if (controllers === '') return [join('/sys/fs/cgroup', path)];
      return controllers?.split(',').includes('pids') ? [join('/sys/fs/cgroup/pids', path)] : [];
    });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function removeSoon(place: string): Promise<void> {
  late.add(place);
  for (const wait of WAITS) {
    for (const one of late) {
      remove(one);
      if (!existsSync(one)) late.delete(one);
    }
    if (!late.has(place)) return;
    await sleep(wait);
  }
}

function remove(place: string): void {
  try {
    rmdirSync(place);
  } catch {
    // not there, or still in use
  }
}
