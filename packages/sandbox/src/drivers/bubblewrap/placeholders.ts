import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { sleep } from '@x/core';
import { isPlaceholder, PLACEHOLDER_MODE } from './kind-of.ts';
import { mountField } from './mounts-prelude.ts';

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
  let left = paths;
  for (const wait of [0, ...WAITS]) {
    if (wait > 0) await sleep(wait);
    const unused = left.filter((path) => !inUse.has(path) && isPlaceholder(path));
    // Removing a directory takes away what is mounted over it, in every process.
    const covered = unused.length === 0 ? unused : coveredByOthers(unused);
    for (const path of unused) if (!covered.includes(path)) remove(path);
    if (covered.length === 0) return;
    left = covered;
  }
}

function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody has used it: it is theirs then.
  }
}

/** Those over which a process with mounts of its own has something mounted: commands of other processes are among them. */
function coveredByOthers(paths: readonly string[]): readonly string[] {
  const fields = paths.map((path) => ` ${mountField(path)} `);
  const own = process.getuid?.();
  const seen = new Set([mountSpaceOf('self')]);
  const covered = new Set<string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    // Those of other users cannot be looked at, and asking costs an error each.
    if (own !== 0 && statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid !== own) continue;
    const space = mountSpaceOf(pid);
    if (space === undefined || seen.has(space)) continue;
    seen.add(space);
    const mounts = readMounts(pid);
    for (const [index, path] of paths.entries()) if (mounts.includes(fields[index] ?? '')) covered.add(path);
  }
  return [...covered];
}

function readMounts(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}

/** The number of a process's mount namespace (namespaces(7)); undefined when it has ended, or belongs to somebody else. */
function mountSpaceOf(pid: string): number | undefined {
  try {
    return statSync(`/proc/${pid}/ns/mnt`, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
