import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '@x/core';
import { codeOf, pathChanged, TRIES } from './file-doors.ts';
import { syncDirectory } from './make-directory.ts';
import { type BytePath, systemPath, textOfPath } from './path-bytes.ts';

/** Opens a place without acting on it: no device is touched and no permission to read is needed. Linux; Node has no name for it. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW } = constants;
const REMOVED = ' (deleted)';

/** A file, a directory or a link that is open, and was at the place when it was opened. No link leads its `path` elsewhere. */
export interface Held {
  readonly fd: number;
  readonly place: BytePath;
  /** `/proc/self/fd/<fd>`: what is open, whatever has its name by now. */
  readonly path: BytePath;
}

// Names are looked up synchronously: 4 us each against 35 us by the thread pool. Bytes are read and written asynchronously.

/**
 * Holds what is at an absolute place without links: name by name from the root, each in the directory that is held, so that a link that has
 * come into the place is met and not followed. `makes` creates the directories that are missing.
 * @throws AgentError `PATH_CHANGED` for a link before the last name; else errors of the system
 */
export function hold(place: BytePath, { makes = false }: { readonly makes?: boolean } = {}): Held {
  let held = heldAt('/', '/');
  for (const name of place.split('/')) if (name !== '') held = heldIn(held, name, makes);
  return held;
}

/** Holds a directory. @throws AgentError `PATH_CHANGED`, `ENOTDIR`; else errors of the system */
export function holdDirectory(place: BytePath, options?: { readonly makes?: boolean }): Held {
  const held = hold(place, options);
  const found = statOf(held);
  if (found.isDirectory()) return held;
  closeSync(held.fd);
  if (found.isSymbolicLink()) throw pathChanged(textOfPath(place), 'it is a link');
  throw new AgentError(`${textOfPath(place)} is not a directory`, { code: 'ENOTDIR' });
}

function heldAt(path: BytePath, place: BytePath): Held {
  const fd = openSync(systemPath(path), O_PATH | O_NOFOLLOW);
  return { fd, place, path: `/proc/self/fd/${fd}` };
}

/** Holds what has a name in a held directory, which is let go of. */
function heldIn(around: Held, name: string, makes: boolean): Held {
  const [path, place] = [`${around.path}/${name}`, join(around.place, name)];
  try {
    try {
      return heldAt(path, place);
    } catch (error) {
      if (!makes || codeOf(error) !== 'ENOENT') throw error;
      makeDirectoryAt(path);
      syncDirectory(`${around.path}/.`);
      return heldAt(path, place);
    }
  } catch (error) {
    const isBelowLink = codeOf(error) === 'ENOTDIR' && statOf(around).isSymbolicLink();
    throw isBelowLink ? pathChanged(textOfPath(place), `${textOfPath(around.place)} is a link`) : named(error, around);
  } finally {
    closeSync(around.fd);
  }
}

function makeDirectoryAt(path: BytePath): void {
  try {
    mkdirSync(systemPath(path));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The facts about what is held. */
export function statOf({ fd }: Held): Stats {
  return fstatSync(fd);
}

/** Calls with what is held, and lets go of it afterwards. */
export async function withHeld<T>(held: Held, act: (held: Held) => T | Promise<T>): Promise<T> {
  try {
    return await act(held);
  } catch (error) {
    throw named(error, held);
  } finally {
    closeSync(held.fd);
  }
}

/** The error with the place in its message instead of the descriptor. */
export function named(error: unknown, { path, place }: Held): unknown {
  if (error instanceof Error) {
    error.message = error.message.replaceAll(new RegExp(`'${path}(?=[/'])`, 'g'), () => `'${textOfPath(place)}`);
  }
  return error;
}

/** The absolute place that a path leads to, links followed; undefined where nothing is. @throws errors of the system, such as `ELOOP` */
export function placeOfExisting(path: BytePath): BytePath | undefined {
  for (let tries = 1; ; tries += 1) {
    try {
      const place = placeOnce(path);
      // A file may really have that name.
      if (!place.endsWith(REMOVED) || isThere(place) || tries === TRIES) return place;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

function placeOnce(path: BytePath): BytePath {
  const fd = openSync(systemPath(path), O_PATH);
  try {
    const place = placeOfDescriptor(fd);
    return place.startsWith('/') ? place : path; // a pipe or a socket has no place
  } finally {
    closeSync(fd);
  }
}

function isThere(place: BytePath): boolean {
  return lstatSync(systemPath(place), { throwIfNoEntry: false }) !== undefined;
}

function placeOfDescriptor(fd: number): BytePath {
  return readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' }).toString('latin1');
}
