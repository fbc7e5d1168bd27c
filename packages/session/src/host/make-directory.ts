import { closeSync, fsyncSync, mkdirSync, openSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory, private to its user, and those above it that are missing; the highest that was made. Node's own `recursive` never
 * ends where a file system answers that a name which it does not want is not there, as /proc does. @throws what the system says
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

/** The directories that were made for something, from the deepest up, as far as nobody else has begun to use them. */
export function removeEmpty(deepest: string, highest: string): void {
  for (let path = deepest; path.startsWith(highest); path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      return; // in use by now: it stays
    }
  }
}

/** Undefined when it was made, else whether it is there already or cannot be there. */
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

/** Its name is in the directory above: it lasts when that is on disk. Not every system lets a directory be opened. */
export function syncDirectory(path: string): void {
  try {
    const file = openSync(path, 'r');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // It is made all the same; the system writes it when it likes.
  }
}
