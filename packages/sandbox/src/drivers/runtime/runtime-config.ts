import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SandboxPolicy } from '../../driver/driver.ts';
import { findProgram } from '../bubblewrap/find-program.ts';
import { toolChains } from '../bubblewrap/host-view.ts';
import { protectedPlaces } from '../bubblewrap/protected-places.ts';
import type { HelperPlaces } from './runtime-helper.ts';

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];
/** On macOS what belongs to the system stays readable, and what belongs to people does not. */
const OF_PEOPLE = ['/Users', '/Volumes', '/private/tmp', '/private/var/folders'];

/** The runtime's own settings, as far as they are used (`SandboxRuntimeConfig`). */
export interface RuntimeConfig {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly strictAllowlist: true;
    readonly allowLocalBinding: boolean;
    readonly allowAllUnixSockets: boolean;
    readonly allowUnixSockets?: readonly string[];
  };
  readonly filesystem: RuntimeFiles;
  readonly bwrapPath?: string | undefined;
  readonly socatPath?: string | undefined;
  readonly ripgrep: { readonly command: string };
}

/** The most specific entry decides about reading, a denial about writing. */
export type RuntimeFiles = Readonly<
  Record<
    'denyRead' | 'allowRead' | 'allowWrite' | 'denyWrite',
    readonly { readonly path: string; readonly literal: true }[]
  >
>;

/** The settings of the runtime for one sandbox. */
export function configFor(
  policy: SandboxPolicy,
  places: HelperPlaces,
  { runtime, isLinux }: Pick<Shown, 'runtime' | 'isLinux'>,
): RuntimeConfig {
  const { network, root, files } = policy;
  const program = (name: string) => findProgram(name, [root, ...files.write]);
  const programs = isLinux ? { bwrapPath: program('bwrap'), socatPath: program('socat') } : {};
  return {
    network: {
      allowedDomains: network.mode === 'domains' ? network.allowedDomains : [],
      deniedDomains: network.deniedDomains,
      strictAllowlist: true,
      allowLocalBinding: network.localBinding,
      allowAllUnixSockets: network.unixSockets === 'all',
      ...(Array.isArray(network.unixSockets) ? { allowUnixSockets: network.unixSockets } : {}),
    },
    filesystem: filesystemFor(policy, places, { runtime, isLinux }),
    ...programs,
    ripgrep: { command: program('rg') ?? 'rg' },
  };
}

/** What the runtime shows and lets be written. */
export function filesystemFor(
  { root, files }: SandboxPolicy,
  { home, temporary }: HelperPlaces,
  { runtime, isLinux, path = '', sockets = [] }: Shown,
): RuntimeFiles {
  const writable = [root, ...files.write];
  const kept = [...writable, ...files.hidden];
  const tools = toolChains(path, kept).filter((_, index) => index % 3 === 2);
  const write = [...writable, home, temporary];
  const vendor = join(dirname(runtime), '..', 'vendor'); // its own programs
  const read = [...(isLinux ? SYSTEM : []), ...tools, ...files.read, ...write, ...sockets, vendor].filter((one) =>
    existsSync(one),
  );
  const places = writable.map(protectedPlaces);
  const readOnly = places
    .flatMap((one) => [...one.readOnly, ...one.absent])
    .flatMap((path) => (isLinux ? besideOwnPlaces(path) : [path]));
  return {
    denyRead: [...(isLinux ? ['/'] : OF_PEOPLE), ...files.hidden].map(literal),
    allowRead: read.map(literal),
    allowWrite: [...write, ...places.flatMap(({ outside }) => outside)].map(literal),
    denyWrite: [...files.readOnly, ...readOnly].map(literal),
  };
}

/** The runtime itself covers two places in `.claude` on Linux, which it cannot when the whole of it is read-only. */
function besideOwnPlaces(path: string): string[] {
  if (basename(path) !== '.claude') return [path];
  const there = existsSync(path) && statSync(path).isDirectory() ? readdirSync(path) : [];
  const names = new Set([...there, 'settings.json', 'settings.local.json']);
  return [...names].filter((name) => !OWN_PLACES.has(name)).map((name) => join(path, name));
}

const OWN_PLACES = new Set(['commands', 'agents']);

/** What a command needs to see besides the policy. */
interface Shown {
  /** The file of the runtime. */
  readonly runtime: string;
  readonly isLinux: boolean;
  readonly path?: string | undefined;
  readonly sockets?: readonly string[];
}

/** The path itself, never a pattern. */
function literal(path: string): RuntimeFiles['denyRead'][number] {
  return { path, literal: true };
}
