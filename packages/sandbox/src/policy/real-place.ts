import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The path with its links resolved; of what is not there, or not to be seen by this user, where it would be. */
export function realPlace(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPlace(parent), basename(path));
  }
}

/** The home directory of the user; `/` for a user without one, such as a number in a container that no file of accounts has. */
export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
