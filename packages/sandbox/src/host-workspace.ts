import { resolve } from 'node:path';
import type { Workspace } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { doorsOfHost } from './doors/doors-of-host.ts';
import { commandEnvironment } from './environment.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { spawnProcess } from './process/spawn-process.ts';
import { endSurvivors, freshMark } from './process/survivors.ts';

/** Options of a host workspace. */
export interface HostWorkspaceOptions {
  /** The start of relative paths and commands. */
  readonly cwd: string;
  /** Added to PATH, HOME, LANG, TERM and TMPDIR of this process, the only variables passed on. */
  readonly env?: Readonly<Record<string, string>>;
}

const OPTIONS: OptionRules<HostWorkspaceOptions> = { cwd: is.required(is.filePath), env: is.anything };

/**
 * Creates a workspace of the files, commands and network of this machine, without restrictions: absolute paths are allowed and commands run
 * as this user.
 * @throws ValidationError on an empty `cwd` or an unknown option
 */
export function hostWorkspace(options: HostWorkspaceOptions): Workspace {
  checkOptions('hostWorkspace options', options, OPTIONS);
  const cwd = resolve(options.cwd);
  const env = { ...commandEnvironment(), ...options.env };
  return {
    ...doorsOfHost(cwd),
    cwd,
    env,
    spawn: (command, { cwd: below = '.', env: more, ...rest }) =>
      spawnProcess(command, { ...rest, cwd: resolve(cwd, below), env: { ...env, ...more } }),
    commands: { mark: freshMark, end: endSurvivors },
    fetch: (request, { admitsAddress } = {}) =>
      admitsAddress ? guardedFetch(request, { admitsAddress }) : fetch(request),
  };
}
