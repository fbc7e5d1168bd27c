import { resolve } from 'node:path';
import { checkKeys, ValidationError, type Workspace } from '@x/core';
import { portableDoors } from './doors/portable-doors.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { minimalEnvironment } from './minimal-environment.ts';
import { spawnProcess } from './process/spawn-process.ts';
import { endSurvivors, freshMark } from './process/survivors.ts';

/** Where a host workspace is, and what its commands see. */
export interface HostWorkspaceOptions {
  /** Where relative paths and commands start. */
  readonly cwd: string;
  /** Laid over PATH, HOME, LANG, TERM and TMPDIR of this process; nothing else of it is passed on. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The files, commands and network of this machine, without walls: absolute paths are allowed and commands run as this user.
 * @throws ValidationError on an empty `cwd` or an unknown option
 */
export function hostWorkspace(options: HostWorkspaceOptions): Workspace {
  check(options);
  const cwd = resolve(options.cwd);
  const env = { ...minimalEnvironment(), ...options.env };
  return {
    ...portableDoors(cwd),
    cwd,
    env,
    spawn: (command, { cwd: below = '.', env: more, ...rest }) =>
      spawnProcess(command, { ...rest, cwd: resolve(cwd, below), env: { ...env, ...more } }),
    commands: { mark: freshMark, end: endSurvivors },
    fetch: (request, { admitsAddress } = {}) =>
      admitsAddress ? guardedFetch(request, { admitsAddress }) : fetch(request),
  };
}

function check(options: HostWorkspaceOptions): void {
  checkKeys('hostWorkspace options', options, ['cwd', 'env']);
  if (typeof options.cwd !== 'string' || options.cwd === '') {
    throw new ValidationError('hostWorkspace needs the path of a directory as cwd', 'cwd');
  }
}
