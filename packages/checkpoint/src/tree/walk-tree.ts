import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { AgentError } from '@x/errors';
import { isAscii, type TreePath } from './entry.ts';
import type { IsKnown, Scope } from './scope.ts';

/** A path that a walk has come to. */
export interface Found {
  readonly path: TreePath;
  readonly stats: BigIntStats;
}

/** What a walk leaves out. */
export interface LeftOut {
  readonly path: TreePath;
  /** A rule of the scope, or `special file`. */
  readonly why: string;
  /** Nothing is known of what is below. */
  readonly isClosed?: boolean;
}

const IGNORE_FILE = '.gitignore';
const MAX_IGNORE_BYTES = 1024 * 1024;

/**
 * Walks files, directories and links below the root, directories before what is in them. No link is followed, no special file opened.
 * @throws AgentError `CHECKPOINT_ROOT` when the root is no directory any more
 */
export function* walkTree(
  root: string,
  scope: Scope,
  leave: (one: LeftOut) => void,
  isKnown?: IsKnown,
): Generator<Found, void, void> {
  const waiting: TreePath[] = [''];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const names = namesIn(root, directory, leave);
    if (names.includes(IGNORE_FILE)) noteRules(root, directory, scope);
    for (const name of names) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const stats = statOf(root, path, (code) => leave({ path, why: `unreadable (${code})`, isClosed: true }));
      if (!stats) continue;
      const rule = scope.leftOut(path, stats.isDirectory(), isKnown);
      if (rule !== undefined) leave({ path, why: rule });
      else if (stats.isDirectory() || stats.isFile() || stats.isSymbolicLink()) {
        if (stats.isDirectory()) waiting.push(path);
        yield { path, stats };
      } else leave({ path, why: 'special file' });
    }
  }
}

function namesIn(root: string, directory: TreePath, leave: (one: LeftOut) => void): string[] {
  try {
    return readdirSync(placeOf(root, directory), { encoding: 'latin1' });
  } catch (error) {
    if (directory === '') {
      throw new AgentError(`The directory ${root} cannot be read: ${(error as Error).message}`, {
        code: 'CHECKPOINT_ROOT',
      });
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      leave({ path: directory, why: `unreadable (${code})`, isClosed: true });
    return [];
  }
}

/** Describes the path itself; undefined when there is none, or when it cannot be told. */
export function statOf(root: string, path: TreePath, untold?: (code: string) => void): BigIntStats | undefined {
  try {
    return lstatSync(placeOf(root, path), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    untold?.(String((error as NodeJS.ErrnoException).code)); // such as ENAMETOOLONG
    return undefined;
  }
}

function noteRules(root: string, directory: TreePath, scope: Scope): void {
  const path = directory === '' ? IGNORE_FILE : `${directory}/${IGNORE_FILE}`;
  const content = readContent(placeOf(root, path), MAX_IGNORE_BYTES);
  if (content instanceof Uint8Array) scope.note(directory, Buffer.from(content).toString());
}

/** The form of a place that `node:fs` takes: its text where that is ASCII below the root, else the bytes of its name. `root` is text. */
export function placeOf(root: string, path: TreePath): string | Buffer {
  if (path === '') return root;
  return isAscii(path) ? `${root}/${path}` : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** The content of a regular file; otherwise why there is none. A link is not followed, and a pipe not waited for. */
export function readContent(place: string | Buffer, maxBytes: number): Uint8Array | 'too_large' | 'unreadable' {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return 'unreadable';
    if (stats.size > maxBytes) return 'too_large';
    return readAll(descriptor, stats.size, maxBytes);
  } catch {
    return 'unreadable';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAll(descriptor: number, expected: number, maxBytes: number): Uint8Array | 'too_large' {
  let content = Buffer.allocUnsafe(expected + 1); // one more tells a file that grows
  let size = 0;
  for (;;) {
    const count = readSync(descriptor, content, size, content.length - size, null);
    if (count === 0) return content.subarray(0, size);
    size += count;
    if (size > maxBytes) return 'too_large';
    if (size === content.length) content = Buffer.concat([content, Buffer.allocUnsafe(content.length)]);
  }
}
