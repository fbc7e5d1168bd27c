import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs';
import { sleep } from '@x/core';
import { isPlaceholder, PLACEHOLDER_MODE } from './kind-of.ts';

/** Commands of this process that are covered by a placeholder, by its path. */
const inUse = new Map<string, number>();

/**
 * Makes an empty directory where a protected path does not exist: only there can a mount cover it. One that a killed process has left is
 * used again. Give the paths back when the command has ended.
 */
export function takePlaceholders(paths: readonly string[]): void {
  for (const path of paths) inUse.set(path, (inUse.get(path) ?? 0) + 1);
  for (const path of paths) if (!lstatSync(path, { throwIfNoEntry: false })) make(path);
}

function make(path: string): void {
  try {
    mkdirSync(path, { mode: PLACEHOLDER_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was quicker
  }
}

/** Milliseconds between looks at processes that are just ending. */
const WAITS = [1, 1, 2, 4, 8, 16, 32];

/** Removes those that no command needs any more, neither of this process nor of another one. */
export async function givePlaceholdersBack(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const left = (inUse.get(path) ?? 1) - 1;
    if (left > 0) inUse.set(path, left);
    else inUse.delete(path);
  }
  for (const wait of [0, ...WAITS]) {
    if (wait > 0) await sleep(wait);
    const unused = paths.filter((path) => !inUse.has(path) && isPlaceholder(path));
    if (unused.length === 0) return;
    // Removing a directory takes away what is mounted over it, in every process.
    const elsewhere = mountPointsOfOthers();
    for (const path of unused) if (!elsewhere.has(path)) remove(path);
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody has used it: it is theirs then.
  }
}

/** Where processes with mounts of their own have something mounted: commands of other processes are among them. */
function mountPointsOfOthers(): ReadonlySet<string> {
  const own = link('/proc/self/ns/mnt');
  const seen = new Set([own]);
  const points = new Set<string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const space = link(`/proc/${pid}/ns/mnt`);
    if (space === undefined || seen.has(space)) continue;
    seen.add(space);
    for (const point of mountPoints(pid)) points.add(point);
  }
  return points;
}

/** proc(5): the fifth field of each line; spaces and the like as octal numbers. */
function mountPoints(pid: string): string[] {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'latin1').split('\n');
    return lines.map((line) => {
      const bytes = (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      );
      return Buffer.from(bytes, 'latin1').toString();
    });
  } catch {
    return []; // it has ended
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
