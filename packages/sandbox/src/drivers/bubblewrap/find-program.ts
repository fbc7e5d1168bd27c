import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isBelow } from '../../policy/is-below.ts';

/**
 * The real path of the first program of this name on PATH that lies outside of `roots`: a program of the workspace could be the agent's own
 * work. Relative entries of PATH count as inside.
 */
export function findProgram(
  name: string,
  roots: readonly string[],
  path: string = process.env['PATH'] ?? '',
): string | undefined {
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const found = realProgram(join(directory, name));
    if (found !== undefined && !roots.some((root) => isBelow(found, root))) return found;
  }
  return undefined;
}

function realProgram(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    accessSync(real, constants.X_OK);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
