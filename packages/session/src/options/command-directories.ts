import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { ValidationError } from '@x/core';
import type { SessionOptions } from './types.ts';

/** The directories that the host has named for commands, as absolute paths. @throws ValidationError for a missing one */
export async function commandDirectories(
  options: Pick<SessionOptions, 'commandDirectories' | 'workspace'>,
  cwd: string,
): Promise<readonly string[]> {
  const { commandDirectories: named = [], workspace } = options;
  const directories: string[] = [];
  for (const path of named) {
    if (workspace && !isAbsolute(path)) {
      throw refuseDirectories(
        `the path ${path} must be absolute when workspace is given, whose cwd may be on another machine`,
      );
    }
    const directory = resolve(cwd, path);
    const facts = await stat(directory).catch(() => undefined);
    if (!facts?.isDirectory())
      throw refuseDirectories(`${directory} is not a directory; make it first, or leave it out`);
    directories.push(directory);
  }
  return directories;
}

function refuseDirectories(why: string): ValidationError {
  return new ValidationError(`commandDirectories: ${why}`, 'commandDirectories');
}
