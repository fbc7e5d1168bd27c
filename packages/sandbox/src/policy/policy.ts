import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { ValidationError } from '@x/core';
import type { SandboxCapabilities, SandboxPolicy } from '../driver/driver.ts';
import { isBelow } from './is-below.ts';
import { homeDirectory, realPlace } from './real-place.ts';
import type { SandboxLimits, SandboxSettings } from './settings.ts';

/** Facts about the place of a sandbox that its settings do not name. */
export interface SandboxPlace {
  readonly cwd: string;
  /** Directories and files that no command sees: keys, and the records of sessions. Absolute. */
  readonly secrets?: readonly string[];
  /** The beginning of the names of settings in errors, such as `sandbox.`. Default: none. */
  readonly prefix?: string;
}

const DEFAULT_LIMITS = { memoryMb: 4_096, processes: 512, fileSizeMb: 2_048 } as const;

/**
 * The policy for checked settings. Links are resolved once, here: what a command changes later does not move the places.
 * @throws ValidationError naming the setting that is missing, contradicts another one, or would open too much
 */
export function policyFor(settings: SandboxSettings, { cwd, secrets = [], prefix = '' }: SandboxPlace): SandboxPolicy {
  const { filesystem = {} } = settings;
  const root = writableRoot(cwd, 'cwd', secrets);
  const at = (field: keyof typeof filesystem) =>
    (filesystem[field] ?? []).map(
      (path, index) => [absolute(path, root), `${prefix}filesystem.${field}[${index}]`, path] as const,
    );
  const write = at('allowWrite').map(([path, field]) =>
    notThroughLink(path, writableRoot(path, field, secrets), { root, field }),
  );
  const read = at('allowRead').map(([path, field]) =>
    notThroughLink(path, readable(path, field, secrets), { root, field }),
  );
  const hidden = at('denyRead').map(([path, field, text]) =>
    notOfKernel(realPlace(asWritten(path, field, text)), field),
  );
  const readOnly = at('denyWrite').map(([path, field, text]) => realPlace(asWritten(path, field, text)));
  const contradiction = contradictionIn(prefix);
  refuseContradictions({ roots: [root, ...write], read, hidden, readOnly }, contradiction);
  return {
    root,
    files: { write, read, readOnly, hidden: [...hidden, ...secrets.map(realPlace)] },
    network: networkOf(settings, { root, prefix, contradiction }),
    limits: limitsOf(settings.limits),
  };
}

interface Naming {
  readonly root: string;
  readonly prefix: string;
  readonly contradiction: Contradiction;
}

function networkOf(
  { network = {} }: SandboxSettings,
  { root, prefix, contradiction }: Naming,
): SandboxPolicy['network'] {
  const { allowedDomains = [], deniedDomains = [], allowedUnixSockets = [], allowAllUnixSockets = false } = network;
  if (allowAllUnixSockets && allowedUnixSockets.length > 0) {
    throw contradiction('network.allowedUnixSockets', 'network.allowAllUnixSockets allows every socket already');
  }
  if (deniedDomains.length > 0 && allowedDomains.length === 0) {
    throw contradiction('network.deniedDomains', 'without network.allowedDomains every host is denied already');
  }
  if (allowedUnixSockets.length > 0 && allowedDomains.length > 0) {
    throw contradiction(
      'network.allowedUnixSockets',
      'sockets without a path (abstract ones) belong to the network that network.allowedDomains opens; use network.allowAllUnixSockets',
    );
  }
  const isOpen = allowedDomains.includes('*') && deniedDomains.length === 0;
  const sockets = allowedUnixSockets.map((path, index) =>
    socketAt(absolute(path, root), { root, field: `${prefix}network.allowedUnixSockets[${index}]` }),
  );
  return {
    mode: isOpen ? 'host' : allowedDomains.length > 0 ? 'domains' : 'none',
    allowedDomains,
    deniedDomains,
    unixSockets: allowAllUnixSockets ? 'all' : sockets.length > 0 ? sockets : 'none',
    localBinding: network.allowLocalBinding ?? false,
  };
}

/** `timeoutMs` and `outputBytes` are kept by whoever runs the command. */
function limitsOf({ timeoutMs: _, outputBytes: __, ...limits }: SandboxLimits = {}): SandboxPolicy['limits'] {
  return { ...DEFAULT_LIMITS, ...limits };
}

/**
 * The policy as far as a driver can hold it: limits that are only defaults are left out. @throws ValidationError naming the first setting
 * that it cannot express
 */
export function heldBy(
  policy: SandboxPolicy,
  capabilities: SandboxCapabilities,
  {
    settings,
    driver,
    prefix = '',
  }: { readonly settings: SandboxSettings; readonly driver: string; readonly prefix?: string | undefined },
): SandboxPolicy {
  const { mode, unixSockets } = policy.network;
  const refuse = (field: string, advice: string) => {
    const place = `${prefix}${field}`;
    throw new ValidationError(`${place}: the driver '${driver}' cannot hold it here; ${advice}`, place);
  };
  if (!capabilities.network.includes(mode)) {
    const advice =
      mode === 'domains' ? "use the driver 'sandbox-runtime', or ['*'] for the whole network" : 'leave it out';
    refuse('network.allowedDomains', advice);
  }
  if (Array.isArray(unixSockets) && capabilities.unixSockets !== 'by-path') {
    refuse('network.allowedUnixSockets', 'only all sockets or none: see network.allowAllUnixSockets');
  }
  for (const name of ['denyRead', 'denyWrite'] as const) {
    const isAsked = (settings.filesystem?.[name]?.length ?? 0) > 0;
    if (isAsked && capabilities.files === 'open')
      refuse(`filesystem.${name}`, 'its commands go everywhere; leave it out');
  }
  const { limits } = capabilities;
  for (const name of ['cpuSeconds', 'memoryMb', 'processes', 'fileSizeMb'] as const) {
    if (settings.limits?.[name] !== undefined && !limits.includes(name)) refuse(`limits.${name}`, 'leave it out');
  }
  const held = Object.entries(policy.limits).filter(([name]) => limits.includes(name as (typeof limits)[number]));
  return { ...policy, limits: Object.fromEntries(held) };
}

/** A directory that commands may write. @throws ValidationError for one that does not exist, or that would open too much */
function writableRoot(path: string, field: string, secrets: readonly string[]): string {
  const real = existing(path, field);
  const tooMuch = (why: string) =>
    new ValidationError(`${field} '${path}' cannot be written by a sandbox: ${why}`, field);
  if (!statSync(real).isDirectory()) throw tooMuch('it is not a directory');
  if (dirname(real) === real) throw tooMuch('it is the whole file system');
  if (isBelow(realPlace(homeDirectory()), real))
    throw tooMuch('the home directory is in it; use a directory of the project');
  if (SYSTEM.some((directory) => isBelow(directory, real) || isBelow(real, directory)))
    throw tooMuch('it belongs to the system');
  const secret = secrets.find((one) => isBelow(real, realPlace(one)));
  if (secret !== undefined) throw tooMuch(`keys or sessions are kept there (${secret})`);
  return real;
}

/** A place that commands may read. @throws ValidationError for one that would open too much */
function readable(path: string, field: string, secrets: readonly string[]): string {
  const real = notOfKernel(existing(path, field), field);
  const secret = secrets.find((one) => isBelow(real, realPlace(one)));
  if (secret === undefined && !isBelow(realPlace(homeDirectory()), real)) return real;
  const why = secret === undefined ? 'the home directory is in it' : `keys or sessions are kept there (${secret})`;
  throw new ValidationError(`${field} '${path}' cannot be shown by a sandbox: ${why}`, field);
}

/** Each command has its own of these. */
function notOfKernel(real: string, field: string): string {
  if (!['/proc', '/dev', '/sys'].some((directory) => isBelow(real, directory))) return real;
  throw new ValidationError(`${field} '${real}' belongs to the kernel: every command has its own; leave it out`, field);
}

const SYSTEM = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64', '/proc', '/sys', '/dev', '/boot', '/run'];

interface Places {
  readonly roots: readonly string[];
  readonly read: readonly string[];
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}

function refuseContradictions({ roots, read, hidden, readOnly }: Places, contradiction: Contradiction): void {
  for (const path of hidden) {
    const open = [...roots, ...read].find((root) => isBelow(root, path));
    if (open !== undefined) throw contradiction('filesystem.denyRead', `it would hide '${open}', which is allowed`);
  }
  for (const path of readOnly) {
    const open = roots.find((root) => isBelow(root, path));
    if (open !== undefined) throw contradiction('filesystem.denyWrite', `nothing in '${open}' could be written`);
  }
}

type Contradiction = (field: string, why: string) => ValidationError;

/** Of anything else the content would be shown. */
function socketAt(path: string, place: { readonly root: string; readonly field: string }): string {
  const real = notThroughLink(path, existing(path, place.field), place);
  if (statSync(real).isSocket()) return real;
  throw new ValidationError(`${place.field} '${path}' is not a UNIX socket; name each socket itself`, place.field);
}

/** A path that is spelled inside the workspace stays there: a link in it may be the agent's own, of an earlier session. */
function notThroughLink(
  path: string,
  real: string,
  { root, field }: { readonly root: string; readonly field: string },
): string {
  if (!isBelow(path, root) || isBelow(real, root)) return real;
  throw new ValidationError(
    `${field} '${path}' is a link that leads out of the workspace, to ${real}; name that path itself`,
    field,
  );
}

function contradictionIn(prefix: string): Contradiction {
  return (field, why) => new ValidationError(`${prefix}${field} contradicts the rest: ${why}`, `${prefix}${field}`);
}

function absolute(path: string, root: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homeDirectory(), path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(root, path);
}

function existing(path: string, field: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw new ValidationError(`${field} '${path}' does not exist`, field);
  }
}

/** A pattern, a variable, a URL, several paths in one, a path of Windows, a blank around a name. */
const NO_PATH = /[*?[\]{}()!$%,;|\\]|:\/|(?:^|\/)(?:\s|~(?!\/|$))|\s(?:\/|$)/;

/**
 * A path is meant as it is written; anything else would guard nothing. What looks like it may be the name of something that is there, and
 * the workspace may be in a directory of such a name.
 */
function asWritten(path: string, field: string, text: string): string {
  if (!isAbsent(path)) return path;
  const refuse = (why: string) =>
    new ValidationError(`${field} '${path}' does not exist, and is taken as it is written: ${why}`, field);
  if (NO_PATH.test(text))
    throw refuse(
      'it must be the path of a file or a directory, no pattern, variable, URL or list, without blanks around a name',
    );
  const other = namesIn(dirname(path)).find((name) => name.toLowerCase() === basename(path).toLowerCase());
  if (other !== undefined) throw refuse(`names count exactly, write ${other}`);
  return path;
}

/** False also for what may not be looked at. */
function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // it does not exist yet either
  }
}
