import { basename, dirname, join, resolve } from 'node:path';
import type { Workspace } from '@x/core';
import { type ContainedOptions, type Containment, spawnContained } from './containment.ts';
import type { SandboxPolicy } from './driver/driver.ts';
import { fitsHost } from './policy/host-pattern.ts';
import { pathPolicy } from './policy/path-policy.ts';
import { SandboxRefusal } from './policy/sandbox-refusal.ts';

/**
 * Narrows a workspace to what a sandbox allows: files by their real places, commands behind the wall, requests to allowed hosts. It belongs
 * next to the host, below everything that judges paths: what was judged is then what is looked at here.
 * @param isOpen True for a place outside that may be read just now.
 */
export function sandboxedWorkspace(
  workspace: Workspace,
  containment: Containment,
  isOpen: (real: string) => boolean = () => false,
): Workspace {
  return {
    ...workspace,
    ...confinedDoors(workspace, containment.policy, isOpen),
    spawn: (command, options) => spawnInside(containment, { command, env: workspace.env }, options),
    async fetch(request, options) {
      checkHost(new URL(request.url), containment.policy.network);
      return await workspace.fetch(request, options);
    },
  };
}

type Spawn = Workspace['spawn'];
type InsideOptions = Parameters<Spawn>[1] & Pick<ContainedOptions, 'hidden' | 'onViolations'>;

/** Starts a line of a workspace behind the wall. */
export function spawnInside(
  containment: Containment,
  { command, env }: { readonly command: string; readonly env: Workspace['env'] },
  { cwd = '.', env: more, ...rest }: InsideOptions,
): ReturnType<Spawn> {
  const { root } = containment.policy;
  return spawnContained(containment, { command, cwd: resolve(root, cwd), env: { ...env, ...more } }, rest);
}

type Doors = Pick<Workspace, 'readFile' | 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove' | 'stat' | 'list'>;

type Check = (real: string, spelled: string) => void;

function confinedDoors(workspace: Workspace, policy: SandboxPolicy, isOpen: (real: string) => boolean): Doors {
  const { checkRead: checkReadOf, checkWrite } = pathPolicy(policy);
  const checkRead: Check = (real, spelled) => checkReadOf(real, spelled, isOpen(real));
  /** The place that a path leads to. */
  const place = async (path: string, check: Check, { noFollow }: { readonly noFollow?: boolean } = {}) =>
    checked(noFollow ? path : await workspace.resolve(path), path, check);
  /** The place of the path itself, when it is a link. */
  const ownPlace = async (path: string, check: Check, { noFollow }: { readonly noFollow?: boolean } = {}) => {
    if (noFollow) return checked(path, path, check);
    const whole = resolve(workspace.cwd, path);
    return checked(join(await workspace.resolve(dirname(whole)), basename(whole)), path, check);
  };
  // The door gets the place that was checked, and follows no link that has come into it since.
  const bound = { noFollow: true } as const;
  return {
    readFile: async (path, options) => workspace.readFile(await place(path, checkRead, options), bound),
    writeFile: async (path, content, options) =>
      workspace.writeFile(await place(path, checkWrite, options), content, { ...options, ...bound }),
    makeLink: async (path, target, options) =>
      workspace.makeLink(await ownPlace(path, checkWrite, options), target, bound),
    makeDirectory: async (path, options) => workspace.makeDirectory(await place(path, checkWrite, options), bound),
    remove: async (path, options) => workspace.remove(await ownPlace(path, checkWrite, options), bound),
    stat: async (path, options) => workspace.stat(await ownPlace(path, checkRead, options), bound),
    async *list(directory, options) {
      yield* workspace.list(await place(directory, checkRead, options), bound);
    },
  };
}

function checked(real: string, spelled: string, check: Check): string {
  check(resolve(real), spelled);
  return real;
}

/** @throws AuthorizationError for a host that the network settings leave out */
function checkHost(url: URL, { mode, allowedDomains, deniedDomains }: SandboxPolicy['network']): void {
  const fits = (pattern: string) => fitsHost(pattern, url);
  if (mode === 'host' || (allowedDomains.some(fits) && !deniedDomains.some(fits))) return;
  const { hostname } = url;
  const message = `${hostname} cannot be reached from the sandbox (sandbox.network.allowedDomains)`;
  throw new SandboxRefusal(message, { kind: 'network', detail: hostname });
}
