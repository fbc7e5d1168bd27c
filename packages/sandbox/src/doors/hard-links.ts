import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '@x/core';
import { directoryEntries } from './directory-entries.ts';
import { type BytePath, bytesOfPath, systemPath } from './path-bytes.ts';

/** Names looked at, at most. */
const MAX_NAMES = 200_000;

/** A directory, links resolved; only asked for when it is needed. */
export type Place = () => string | Promise<string>;

/**
 * Refuses a file that has other names, unless all of them lie below a directory: who reads one of the others expects the change too, or
 * must not get it. A replaced file is split from its other names.
 * @throws AgentError `HARD_LINKED`
 */
export async function refuseNamesOutside(path: string, found: Stats, place: Place): Promise<void> {
  if (found.nlink <= 1) return;
  const directory = await place();
  if ((await countNames(found, directory)) >= found.nlink) return;
  throw new AgentError(
    `${path} has ${found.nlink} names (hard links), and not all of them were found in ${directory}; it was not changed. ` +
      'Replace it by a copy of its own (cp file copy && mv copy file), then write',
    { code: 'HARD_LINKED' },
  );
}

/** The names that a file has below a directory; of a larger one only those among its first 200,000 names. */
async function countNames(file: Stats, directory: string): Promise<number> {
  let [count, seen] = [0, 0];
  const waiting = [bytesOfPath(directory)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, kind } of entriesIn(at)) {
      if ((seen += 1) > MAX_NAMES) return count;
      const path = join(at, name);
      if (kind === 'directory') waiting.push(path);
      else if (kind === 'file' && (await isSame(path, file)) && (count += 1) >= file.nlink) return count;
    }
  }
  return count;
}

function* entriesIn(directory: BytePath): ReturnType<typeof directoryEntries> {
  try {
    yield* directoryEntries(directory);
  } catch {
    // Gone, or not ours to list: names in there are not found.
  }
}

async function isSame(path: BytePath, { dev, ino }: Stats): Promise<boolean> {
  const found = await lstat(systemPath(path)).catch(() => undefined); // gone meanwhile
  return found !== undefined && found.dev === dev && found.ino === ino;
}
