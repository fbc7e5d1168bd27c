import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentError } from '@x/core';
import { codeOf, pathChanged, TRIES } from './file-doors.ts';
import { type BytePath, systemPath, textOfPath } from './path-bytes.ts';

/** Opens a place without acting on it: no device is touched and no permission to read is needed. Linux; Node has no name for it. */
const O_PATH = 0o10000000;
const { O_NOFOLLOW } = constants;
const REMOVED = ' (deleted)';

/** A file, a directory or a link that is open, and was at the place when it was opened. Nobody can lead its `path` elsewhere. */
export interface Held {
  readonly fd: number;
  readonly stat: Stats;
  readonly place: BytePath;
  /** `/proc/self/fd/<fd>`: what is open, whatever has its name by now. */
  readonly path: BytePath;
}

// Names are looked up synchronously: 6 us against 110 us by the thread pool. Bytes are read and written asynchronously.

/**
 * Holds what is at an absolute place without links. The system reports where the opened thing really is, so a link that has come into the
 * place is noticed however short it was there.
 * @throws AgentError `PATH_CHANGED`; else errors of the system
 */
export function hold(place: BytePath): Held {
  for (let tries = 1; ; tries += 1) {
    const fd = openSync(systemPath(place), O_PATH | O_NOFOLLOW);
    try {
      const where = placeOfDescriptor(fd);
      if (where === place) return { fd, stat: fstatSync(fd), place, path: `/proc/self/fd/${fd}` };
      if (tries === TRIES) throw pathChanged(textOfPath(place), `it leads to ${textOfPath(where)}`);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd); // moved, or replaced by another program: what has the name by now may be at the place
  }
}

/** Holds a directory. @throws AgentError `PATH_CHANGED`, `ENOTDIR`; else errors of the system */
export function holdDirectory(place: BytePath): Held {
  const held = hold(place);
  if (held.stat.isDirectory()) return held;
  closeSync(held.fd);
  if (held.stat.isSymbolicLink()) throw pathChanged(textOfPath(place), 'it is a link');
  throw new AgentError(`${textOfPath(place)} is not a directory`, { code: 'ENOTDIR' });
}

/** Holds a directory and makes what is missing of it, each from the one around it. @throws AgentError as `holdDirectory` */
export function holdMadeDirectory(place: BytePath): Held {
  const missing: string[] = [];
  let [at, held] = [place, existing(place)];
  while (!held) {
    missing.push(basename(at));
    at = dirname(at);
    held = at === '/' ? holdDirectory(at) : existing(at);
  }
  for (let name = missing.pop(); name !== undefined; name = missing.pop()) {
    at = join(at, name);
    held = madeIn(held, { name, place: at });
  }
  return held;
}

function existing(place: BytePath): Held | undefined {
  try {
    return holdDirectory(place);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function madeIn(around: Held, { name, place }: { readonly name: string; readonly place: BytePath }): Held {
  try {
    mkdirSync(systemPath(`${around.path}/${name}`));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw named(error, around);
  } finally {
    closeSync(around.fd);
  }
  return holdDirectory(place);
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
