import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** PATH, with folders behind it where Debian keeps programs that are for servers. */
export function toolPath() {
  const ofServers = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse(); // the newest version first
  return [process.env.PATH ?? '', ...ofServers, '/usr/sbin'].join(delimiter);
}

/** The path of a program on PATH, or undefined. */
export function findTool(name, path = toolPath()) {
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
