import { lstatSync, unlinkSync } from 'node:fs';
import { isLiving, startOf } from '../process/process-table.ts';
import { freshMark } from '../process/survivors.ts';
import { directoryEntries } from './directory-entries.ts';
import { type Held, statOf } from './held-place.ts';
import { systemPath } from './path-bytes.ts';

/** Prefix of unfinished files. One that is found belongs to a write under way, or to a process that was killed. */
export const TEMPORARY_PREFIX = '.agent-sdk-tmp-';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Number and start of a process, the machine's boot and the namespace in which the number counts. */
const NAME = /^\.agent-sdk-tmp-(\d+)\.(\d+)\.([0-9a-f]{8}\.\d+)\./;
let startedAt: string | undefined;

/** A fresh name for an unfinished file; it says which process makes it, and where. */
export function temporaryName(): string {
  startedAt ??= startOf(process.pid) ?? 'unknown';
  return `${TEMPORARY_PREFIX}${process.pid}.${startedAt}.${freshMark()}`;
}

/** Sweeps each directory that it is called with, the first time. */
export function sweepOnce(): (directory: Held) => void {
  const swept = new Set<string>();
  return (directory) => {
    const { dev, ino } = statOf(directory);
    const key = `${dev}:${ino}`;
    if (swept.has(key)) return;
    swept.add(key);
    sweepTemporaryFiles(directory);
  };
}

/**
 * Removes unfinished files of processes that are gone, and others after a day: their process is on another machine, or was before the last
 * boot.
 */
function sweepTemporaryFiles(directory: Held): void {
  for (const { name } of directoryEntries(directory.path)) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const path = systemPath(`${directory.path}/${name}`);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || !isLeft(name, found.mtimeMs)) continue;
    try {
      unlinkSync(path);
    } catch {
      // Somebody else's, or removed meanwhile: it is no part of what is written now.
    }
  }
}

function isLeft(name: string, modifiedMs: number): boolean {
  const [, pid, start, place] = NAME.exec(name) ?? [];
  if (place !== undefined && freshMark().startsWith(`${place}.`)) return !isLiving(Number(pid), start);
  return Date.now() - modifiedMs > DAY_MS;
}
