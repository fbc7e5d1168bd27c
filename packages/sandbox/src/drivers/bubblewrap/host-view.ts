import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isBelow } from '../../policy/is-below.ts';
import { homeDirectory } from '../../policy/real-place.ts';

/** The empty home of contained commands. */
export const HOME = '/home/agent';

/** What every command sees of the host, by its real path. */
export const SHOWN: readonly string[] = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const SYSTEM_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** As root these would act on the whole machine, also from inside. */
const KERNEL_SWITCHES = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'];

/**
 * The arguments for what commands see of the system: programs, libraries and `/etc`, all read-only, private `/tmp`, `/run` and home, and
 * nothing else. `memoryMb` bounds the private directories, which are in memory.
 */
export function hostView({
  isRoot,
  memoryMb,
}: {
  readonly isRoot: boolean;
  readonly memoryMb: number | undefined;
}): string[] {
  const size = memoryMb === undefined ? [] : ['--size', String(memoryMb * 1024 * 1024)];
  return [
    ...bound('/usr'),
    ...SYSTEM_LINKS.flatMap(systemDirectory),
    ...bound('/etc'),
    ...(isRoot ? unreadableBelow('/etc').flatMap(covered) : []),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...(isRoot ? KERNEL_SWITCHES.filter(exists).flatMap(bound) : []),
    ...['/tmp', '/var/tmp', HOME, '/dev/shm'].flatMap((path) => [...size, '--tmpfs', path]),
    '--tmpfs',
    '/run',
  ];
}

/** Shows a path of the host, read-only. */
function bound(path: string): string[] {
  return ['--ro-bind', path, path];
}

function systemDirectory(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : bound(path);
}

/** What only its owner may read: inside the sandbox root is still the owner of its files. */
function unreadableBelow(directory: string): { readonly path: string; readonly isDirectory: boolean }[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    const isDirectory = entry.isDirectory();
    if (!isDirectory && !entry.isFile()) return [];
    const needed = isDirectory ? 0o5 : 0o4;
    if ((lstatSync(path).mode & needed) !== needed) return [{ path, isDirectory }];
    return isDirectory ? unreadableBelow(path) : [];
  });
}

/** Arguments that show an empty directory or file in the place of this one. */
export function covered({ path, isDirectory }: { readonly path: string; readonly isDirectory: boolean }): string[] {
  return isDirectory ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}

/**
 * The arguments that show the tool chains of PATH, read-only: of `P/bin` all of `P`, as a Node of a version manager needs its `P/lib`; only
 * the entry itself where `P` is `/`, a home, or holds one of `kept`.
 */
export function toolChains(path: string, kept: readonly string[]): string[] {
  const shown = new Set<string>();
  for (const entry of path.split(':')) {
    if (!isAbsolute(entry) || SYSTEM.some((known) => isBelow(entry, known))) continue;
    const real = realDirectory(entry);
    if (real === undefined || kept.some((place) => isBelow(real, place))) continue; // shown already, by its own rule
    const parent = dirname(real);
    const isWhole = basename(real) === 'bin' && !isTooMuch(parent, kept);
    if (!isWhole && isTooMuch(real, kept)) continue;
    shown.add(isWhole ? parent : real);
    if (real !== entry) shown.add(entry);
  }
  return [...shown].sort().flatMap((place) => ['--ro-bind', realpathSync.native(place), place]);
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/etc', '/proc', '/dev', '/sys'];

function isTooMuch(place: string, kept: readonly string[]): boolean {
  if (place === '/' || dirname(place) === '/home' || place === '/root' || place === homeDirectory()) return true;
  return [...kept, homeDirectory(), '/usr'].some((path) => isBelow(path, place));
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
