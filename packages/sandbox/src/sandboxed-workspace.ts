import { basename, dirname, join, resolve } from 'node:path';
import { AuthorizationError, type Workspace } from '@x/core';
import { type Containment, spawnContained } from './containment.ts';
import type { SandboxPolicy, SandboxViolation } from './driver/driver.ts';
import { pathPolicy } from './policy/path-policy.ts';

export interface SandboxedWorkspaceOptions {
  /** The one line that has been allowed to run outside. */
  readonly outside?: string | undefined;
  /** Paths whose content commands do not see, in addition to those of the settings; asked before each command. */
  readonly hidden?: (() => Promise<readonly string[]>) | undefined;
  /** Called with the refused accesses of each command that are to be reported. */
  readonly onViolations?: ((violations: readonly SandboxViolation[]) => void) | undefined;
}

/** Narrows a workspace to what a sandbox allows: files by their real places, commands behind the wall, requests to allowed hosts. */
export function sandboxedWorkspace(
  workspace: Workspace,
  containment: Containment,
  { outside, hidden, onViolations }: SandboxedWorkspaceOptions = {},
): Workspace {
  const { policy } = containment;
  return {
    ...workspace,
    ...confinedDoors(workspace, policy, onViolations),
    spawn(command, options) {
      if (command === outside) return workspace.spawn(command, options);
      const { cwd = '.', env, ...rest } = options;
      return spawnContained(
        containment,
        { command, cwd: resolve(policy.root, cwd), env: { ...workspace.env, ...env } },
        { ...rest, hidden, onViolations },
      );
    },
    async fetch(request, options) {
      checkHost(new URL(request.url).hostname, policy.network);
      return await workspace.fetch(request, options);
    },
  };
}

type Doors = Pick<Workspace, 'readFile' | 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove' | 'stat' | 'list'>;

function confinedDoors(
  workspace: Workspace,
  policy: SandboxPolicy,
  onViolations: SandboxedWorkspaceOptions['onViolations'],
): Doors {
  const paths = pathPolicy(policy);
  const checked = (real: string, spelled: string, check: 'checkRead' | 'checkWrite') => {
    try {
      paths[check](real, spelled);
    } catch (error) {
      onViolations?.([{ kind: 'file', detail: real }]);
      throw error;
    }
    return real;
  };
  /** The place that a path leads to. */
  const place = async (path: string, check: 'checkRead' | 'checkWrite') =>
    checked(await workspace.resolve(path), path, check);
  /** The place of the path itself, when it is a link. */
  const ownPlace = async (path: string, check: 'checkRead' | 'checkWrite') => {
    const whole = resolve(workspace.cwd, path);
    return checked(join(await workspace.resolve(dirname(whole)), basename(whole)), path, check);
  };
  return {
    readFile: async (path) => workspace.readFile(await place(path, 'checkRead')),
    writeFile: async (path, content, options) => workspace.writeFile(await place(path, 'checkWrite'), content, options),
    makeLink: async (path, target) => workspace.makeLink(await ownPlace(path, 'checkWrite'), target),
    makeDirectory: async (path) => workspace.makeDirectory(await place(path, 'checkWrite')),
    remove: async (path) => workspace.remove(await ownPlace(path, 'checkWrite')),
    stat: async (path) => workspace.stat(await ownPlace(path, 'checkRead')),
    async *list(directory) {
      yield* workspace.list(await place(directory, 'checkRead'));
    },
  };
}

/** @throws AuthorizationError for a host that the network settings leave out */
function checkHost(host: string, { mode, allowedDomains, deniedDomains }: SandboxPolicy['network']): void {
  const fits = (pattern: string) =>
    pattern === '*' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
  if (mode === 'host' || (allowedDomains.some(fits) && !deniedDomains.some(fits))) return;
  throw new AuthorizationError(`${host} cannot be reached from the sandbox (sandbox.network.allowedDomains)`);
}
