import { lstatSync, readdirSync } from 'node:fs';

/** The mode of a placeholder: no write bits, and the sticky one. Nobody else makes an empty directory like it. */
export const PLACEHOLDER_MODE = 0o1555;
const TELLING_BITS = 0o1222;

/** The kind of a path itself; undefined for one that does not exist, or is only a placeholder for something that must not. */
export function kindOf(path: string): 'directory' | 'link' | 'file' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return 'link';
  if (!found?.isDirectory()) return found && 'file';
  return (found.mode & TELLING_BITS) === (PLACEHOLDER_MODE & TELLING_BITS) && isEmpty(path) ? undefined : 'directory';
}

/** True for an empty directory that `takePlaceholders` has made, in any process. */
export function isPlaceholder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && kindOf(path) === undefined;
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}
