import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AgentError, messageOf, ValidationError } from '@x/errors';
import { bytesOfPath, homeDirectory, makeDirectory, realPlace } from '@x/sandbox/internal';
import type { TreePath } from './tree/entry.ts';

/** The path below the root that stands for an absolute one; undefined outside, and for the root. */
export function treePathIn(root: string, place: string): TreePath | undefined {
  const path = relative(root, place);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return bytesOfPath(path);
}

/** @throws ValidationError for a directory that is missing, or too much to be remembered */
export function rootOf(cwd: string): string {
  const path = resolve(cwd);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ValidationError(`cwd ${path} is not a directory`, 'cwd');
  }
  const root = realpathSync(path);
  const home = realPlace(homeDirectory());
  if (root === '/' || home === root || home.startsWith(`${root}${sep}`)) {
    throw new ValidationError(`cwd ${root} holds the home directory; checkpoints are made of a project`, 'cwd');
  }
  return root;
}

/** Makes the directory of a file. @throws AgentError `CHECKPOINT_FILE` */
export function makeRoomFor(file: string): void {
  try {
    makeDirectory(dirname(file));
  } catch (cause) {
    const why = `${messageOf(cause)}; give this user the right to write there, or name another place (for sessions AGENT_SDK_HOME)`;
    throw new AgentError(`The checkpoints in ${file} cannot be opened: ${why}`, { code: 'CHECKPOINT_FILE', cause });
  }
}

/** @throws ValidationError for a file inside of what it remembers */
export function outsideOf(root: string, file: string): string {
  const path = resolve(file);
  const around = realPlace(join(path, '..'));
  if (around === root || around.startsWith(`${root}${sep}`)) {
    throw new ValidationError(`file ${path} lies inside of cwd, which a rewind changes; name one outside`, 'file');
  }
  return path;
}
