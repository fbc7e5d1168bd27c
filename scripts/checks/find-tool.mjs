import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program on PATH, or undefined. */
export function findTool(name, path = process.env.PATH ?? '') {
  return path
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) =>
      (process.platform === 'win32' ? ['.exe', '.cmd'] : ['']).map((end) => join(folder, name + end)),
    )
    .find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not for us: either way it is not the program.
  }
}
