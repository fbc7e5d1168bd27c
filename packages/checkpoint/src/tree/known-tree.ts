import { createHash } from 'node:crypto';
import { type BigIntStats, readlinkSync } from 'node:fs';
import { type Entry, isSame, type TreePath, type Unkept } from './entry.ts';
import type { IsKnown, Scope } from './scope.ts';
import { type Found, type LeftOut, placeOf, readContent, statOf, walkTree } from './walk-tree.ts';

/** A path as it was seen last. */
export interface Known {
  readonly entry: Entry;
  /** Begins with device and file number. Equal as long as the path is certainly unchanged; nothing else is in it when that cannot be said. */
  readonly stamp: string;
}

/** A difference between two scans; null is no file at all. */
export interface Difference {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** One look at the tree. */
export interface Look {
  readonly differences: readonly Difference[];
  /** What is to be known from now on, of paths that differ from before in their stamp; null forgets. */
  readonly seen: ReadonlyMap<TreePath, Known | null>;
  readonly leftOut: readonly LeftOut[];
}

export interface LookOptions {
  readonly root: string;
  readonly scope: Scope;
  readonly maxFileBytes: number;
  /** Takes a content, and gives back why it is not kept, if it is not. */
  readonly keep: (hash: string, content: Uint8Array) => Unkept | undefined;
}

/** Milliseconds that clocks of file systems may be behind. */
export const COARSE_MS = 20;

/** Compares the whole tree with what is known of it. */
export function lookAtTree(known: ReadonlyMap<TreePath, Known>, options: LookOptions): Look {
  const leftOut: LeftOut[] = [];
  const paths: TreePath[] = [];
  let met = 0;
  const look = new Looking(known, options);
  const { root, scope } = options;
  const isKnown: IsKnown = (path, isDirectory) => {
    const before = known.get(path);
    return before !== undefined && (before.entry.kind === 'directory') === isDirectory;
  };
  for (const found of walkTree(root, scope, (one) => void leftOut.push(one), isKnown)) {
    paths.push(found.path);
    if (known.has(found.path)) met++;
    look.compare(found);
  }
  if (met < known.size) {
    const present = new Set(paths);
    const closed = leftOut.filter(({ isClosed }) => isClosed).map(({ path }) => path);
    for (const path of known.keys()) {
      if (!present.has(path) && !closed.some((place) => path === place || path.startsWith(`${place}/`)))
        look.miss(path);
    }
  }
  return { differences: look.differences, seen: look.seen, leftOut };
}

/** Compares these paths only. */
export function lookAtPaths(
  paths: readonly TreePath[],
  known: ReadonlyMap<TreePath, Known>,
  options: LookOptions,
): Look {
  const leftOut: LeftOut[] = [];
  const look = new Looking(known, options);
  for (const path of paths) {
    const stats = statOf(options.root, path);
    const why = options.scope.leftOut(path, stats?.isDirectory() ?? false);
    if (why !== undefined) leftOut.push({ path, why });
    else if (stats && (stats.isDirectory() || stats.isFile() || stats.isSymbolicLink())) look.compare({ path, stats });
    else if (known.has(path)) look.miss(path);
  }
  return { differences: look.differences, seen: look.seen, leftOut };
}

class Looking {
  readonly differences: Difference[] = [];
  readonly seen = new Map<TreePath, Known | null>();
  readonly #known: ReadonlyMap<TreePath, Known>;
  readonly #options: LookOptions;
  readonly #youngNs = BigInt(Date.now() - COARSE_MS) * 1_000_000n;

  constructor(known: ReadonlyMap<TreePath, Known>, options: LookOptions) {
    this.#known = known;
    this.#options = options;
  }

  compare({ path, stats }: Found): void {
    const known = this.#known.get(path);
    const stamp = stampOf(stats);
    if (known?.stamp === stamp) return;
    const entry = this.#entryOf(path, stats, stamp);
    if (!entry) return this.miss(path);
    // A change within the same tick of the clock would leave the stamp as it is.
    const isYoung = stats.ctimeNs >= this.#youngNs || stats.mtimeNs >= this.#youngNs;
    this.seen.set(path, { entry, stamp: isYoung ? `${stats.dev} ${stats.ino}` : stamp });
    const before = known?.entry ?? null;
    if (!isSame(before, entry)) this.differences.push({ path, before, after: entry });
  }

  miss(path: TreePath): void {
    const known = this.#known.get(path);
    if (!known) return;
    this.seen.set(path, null);
    this.differences.push({ path, before: known.entry, after: null });
  }

  #entryOf(path: TreePath, stats: BigIntStats, stamp: string): Entry | undefined {
    const { root, maxFileBytes, keep } = this.#options;
    const mode = Number(stats.mode & 0o777n);
    if (stats.isDirectory()) return { kind: 'directory', mode };
    if (stats.isSymbolicLink()) return linkAt(placeOf(root, path));
    const content = readContent(placeOf(root, path), maxFileBytes);
    if (typeof content === 'string') {
      const size = Number(stats.size);
      // Gone or replaced meanwhile: the next look finds it.
      if (content === 'unreadable' && statOf(root, path)?.ino !== stats.ino) return undefined;
      return { kind: 'file', mode, size, hash: null, why: content, stamp };
    }
    const hash = createHash('sha256').update(content).digest('base64url');
    const why = keep(hash, content);
    const size = content.length;
    return why ? { kind: 'file', mode, size, hash: null, why, stamp } : { kind: 'file', mode, size, hash };
  }
}

function linkAt(place: string | Buffer): Entry | undefined {
  try {
    return { kind: 'symlink', target: readlinkSync(place, { encoding: 'latin1' }) };
  } catch {
    return undefined;
  }
}

/** Device, file number, size, times of content and of the entry, mode: a program can set the first time back, never the second. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs} ${mode}`;
}
