import type { BigIntStats } from 'node:fs';
import type { TreePath } from './entry.ts';
import { COARSE_MS, type Known } from './known-tree.ts';
import { statOf } from './walk-tree.ts';

/**
 * True for a file that was there before this time, in milliseconds, and has no other name: who has it now has moved it. Without a time of birth
 * it is 0, or later.
 */
export function isBornBefore(at: number, stats: BigIntStats | undefined): boolean {
  const born = stats?.nlink === 1n ? stats.birthtimeNs : 0n;
  return born > 0n && born < BigInt(at - COARSE_MS) * 1_000_000n;
}

/**
 * Tells of a new file that it was there at the last look, where nothing is remembered: no path that was known then had its file number. On Linux;
 * elsewhere programs that unpack set the time of birth.
 */
export function movedInTest({
  root,
  lookedAt,
  known,
}: {
  readonly root: string;
  readonly lookedAt: number | undefined;
  readonly known: ReadonlyMap<TreePath, Known>;
}): (path: TreePath) => boolean {
  if (lookedAt === undefined || process.platform !== 'linux') return () => false;
  let numbers: ReadonlySet<string> | undefined;
  return (path) => {
    const stats = statOf(root, path);
    if (!stats || !isBornBefore(lookedAt, stats)) return false;
    numbers ??= new Set(Array.from(known.values(), ({ stamp }) => stamp.split(' ', 2).join(' ')));
    return !numbers.has(`${stats.dev} ${stats.ino}`);
  };
}
