import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxPolicy } from '../../driver/driver.ts';
import { isBelow } from '../../policy/is-below.ts';
import { covered, SHOWN } from './host-view.ts';
import { kindOf } from './kind-of.ts';
import { protectedPlaces } from './protected-places.ts';

/** The part of a command's view that belongs to the workspace, as the files are now. */
export interface WorkspaceView {
  readonly arguments: readonly string[];
  /** Paths that are mounted from the place of the same name. */
  readonly bound: readonly string[];
  /** They must exist as empty directories when the command is started. */
  readonly absent: readonly string[];
  /** Nothing can be mounted over these; whether they were replaced is looked at afterwards. */
  readonly links: readonly string[];
  /** They do not exist; one that has come into being is removed afterwards. */
  readonly unmade: readonly string[];
}

/** The later one wins where a path has two of them. */
const ORDER = ['read', 'write', 'held', 'readOnly', 'absent', 'hidden'] as const;
type Role = (typeof ORDER)[number];

/** The arguments for the directories of a policy and what is protected in them. Parents come first: a later mount covers an earlier one. */
export function workspaceView({ root, files, network }: SandboxPolicy): WorkspaceView {
  const roles = new Map<string, Role>();
  const give = (role: Role, paths: readonly string[]) => {
    for (const path of paths) {
      const before = roles.get(path);
      if (before === undefined || ORDER.indexOf(before) < ORDER.indexOf(role)) roles.set(path, role);
    }
  };
  const writable = [root, ...files.write];
  const found = writable.map(protectedPlaces);
  const absent = new Set(found.flatMap((places) => places.absent));
  give('read', files.read);
  give('write', [...writable, ...found.flatMap(({ outside }) => outside)]);
  give(
    'held',
    found.flatMap(({ held }) => held),
  );
  const roots = [...roles].flatMap(([path, role]) => (role === 'read' ? [] : [path]));
  // The target of a link outside of them is not shown: the agent may have made the link.
  give(
    'readOnly',
    found.flatMap(({ readOnly }) => readOnly).filter((path) => roots.some((root) => isBelow(path, root))),
  );
  for (const path of files.readOnly) {
    const place = deepest(path, roots);
    if (place === undefined) continue; // not writable anyway
    if (kindOf(place) === undefined) absent.add(place);
    else give('readOnly', [place]);
  }
  const shown = [...roots, ...files.read, ...SHOWN];
  const isShown = (path: string) => kindOf(path) !== undefined && shown.some((place) => isBelow(path, place));
  give('hidden', files.hidden.filter(isShown));
  give('absent', [...absent]);
  for (const [path, role] of Array.from(roles)) {
    if (role === 'readOnly' || role === 'absent' || role === 'hidden') give('held', between(path, roots));
  }
  const { unixSockets } = network;
  if (typeof unixSockets !== 'string') {
    give(
      'hidden',
      [...roots, ...files.read].flatMap(socketsAt).filter((path) => !unixSockets.includes(path)),
    );
    give('read', unixSockets);
  }
  const isSeen = (path: string) => !Array.from(roles).some(([place, role]) => role === 'hidden' && isIn(path, place));
  const sorted = [...roles].filter(([path]) => isSeen(path)).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    arguments: sorted.flatMap(([path, role]) => mount(path, role)),
    bound: sorted.flatMap(([path, role]) => (role === 'hidden' || role === 'absent' ? [] : [path])),
    absent: [...absent],
    links: found.flatMap(({ links }) => links),
    unmade: found.flatMap(({ unmade }) => unmade),
  };
}

function isIn(path: string, place: string): boolean {
  return path !== place && isBelow(path, place);
}

/** Every socket at a path or below it: those that are not listed must not be reached, and a directory is no barrier. */
function socketsAt(path: string): string[] {
  const found = lstatSync(path);
  if (found.isSocket()) return [path];
  if (!found.isDirectory()) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (entry.isSocket()) return [below];
    return entry.isDirectory() ? socketsAt(below) : [];
  });
}

function mount(path: string, role: Role): string[] {
  if (role === 'hidden') return covered({ path, isDirectory: kindOf(path) === 'directory' });
  // One system call, where binding reads the table of all mounts.
  if (role === 'absent') return ['--perms', '0555', '--tmpfs', path];
  return [role === 'write' || role === 'held' ? '--bind' : '--ro-bind', path, path];
}

/** The path, or its first ancestor that does not exist; undefined outside of the roots. */
function deepest(path: string, roots: readonly string[]): string | undefined {
  if (!roots.some((root) => isBelow(path, root))) return undefined;
  return between(path, roots).findLast((place) => kindOf(place) === undefined) ?? path;
}

/** The directories between a path and the root that it is below, the nearest one first: moving one of them would move the path. */
function between(path: string, roots: readonly string[]): string[] {
  const places: string[] = [];
  const isInside = (place: string) => roots.some((root) => place !== root && isBelow(place, root));
  for (let place = dirname(path); isInside(place); place = dirname(place)) places.push(place);
  return places;
}
