import { closeSync, fsyncSync, mkdirSync, openSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory, private to its user, and its missing parents; returns the highest one created. Node's own `recursive` never ends
 * where a file system reports ENOENT for a name it refuses, as /proc does. @throws errors of the system
 */
export function makeDirectory(path: string): string | undefined {
  const first = tryToMake(path);
  if (first !== 'ENOENT') return first === undefined ? path : undefined;
  const above = dirname(path);
  const made = makeDirectory(above);
  try {
    const second = tryToMake(path);
    if (second === 'ENOENT') throw Object.assign(new Error(`${path} cannot be made`), { code: 'ENOENT' });
    return made ?? (second === undefined ? path : undefined);
  } catch (error) {
    if (made !== undefined) removeEmpty(above, made);
    throw error;
  }
}

/** Removes the directories that were created, from the deepest up, while they are empty. */
export function removeEmpty(deepest: string, highest: string): void {
  for (let path = deepest; path.startsWith(highest); path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      return; // in use by now: it stays
    }
  }
}

/** Undefined when it was created, else whether it exists already or cannot exist. */
function tryToMake(path: string): 'EEXIST' | 'ENOENT' | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // safe: only its code is looked at
    if (code === 'ENOENT' && dirname(path) !== path) return code;
    if (isDirectory(path)) return 'EEXIST';
    throw error;
  }
  syncDirectory(dirname(path));
  return undefined;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // why it could not be made says more
  }
}

/** Flushes a directory, so that the names of new files in it last. Not every system lets a directory be opened. */
export function syncDirectory(path: string): void {
  try {
    const file = openSync(path, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Best effort: the system writes it sooner or later.
  }
}
