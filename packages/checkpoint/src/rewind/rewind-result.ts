import { isUtf8 } from 'node:buffer';
import type { Entry, TreePath } from '../tree/entry.ts';
import type { LeftOut } from '../tree/walk-tree.ts';
import { lineChanges } from './line-changes.ts';
import type { Action, Plan } from './plan-rewind.ts';
import type { RewindChange, RewindError, RewindResult, Skipped } from './types.ts';

const MAX_TEXT_BYTES = 1024 * 1024;
const CONFLICT = 'Somebody else has changed it too; force restores it all the same';

/** What was planned and done, for people. */
interface Told {
  readonly plan: Plan;
  readonly changes: readonly RewindChange[];
  /** Why an action has failed. */
  readonly failed: ReadonlyMap<TreePath, string>;
  readonly leftOut: readonly LeftOut[];
  readonly placeOf: (path: TreePath) => string;
  readonly dryRun: boolean;
  readonly rewindId: string | undefined;
}

export function resultOf({ plan, changes, failed, leftOut, placeOf, dryRun, rewindId }: Told): RewindResult {
  const conflicts = plan.conflicts.map(placeOf);
  const unrestorable = plan.unrestorable.map(({ path, why }) => ({ filePath: placeOf(path), error: LOST[why] ?? why }));
  const errors: RewindError[] = [
    ...conflicts.map((filePath) => ({ filePath, error: CONFLICT })),
    ...unrestorable,
    ...[...failed].map(([path, error]) => ({ filePath: placeOf(path), error })),
  ];
  const done = plan.actions.filter(({ path }) => !failed.has(path));
  const pathsOf = (isMeant: (action: Action) => boolean) => done.filter(isMeant).map(({ path }) => placeOf(path));
  const told = changes.filter(({ filePath }) => !errors.some((one) => one.filePath === filePath));
  return {
    success: errors.length === 0,
    restoredFiles: pathsOf(({ to }) => to !== null),
    deletedFiles: pathsOf(({ to }) => to === null),
    errors,
    conflicts,
    unrestorable,
    skipped: skippedOf(leftOut, placeOf),
    changes: told,
    insertions: told.reduce((sum, { insertions }) => sum + insertions, 0),
    deletions: told.reduce((sum, { deletions }) => sum + deletions, 0),
    dryRun,
    ...(rewindId === undefined ? {} : { rewindId }),
  };
}

const LOST: Readonly<Record<string, string>> = {
  too_large: 'Its content was larger than maxFileBytes, and was not kept',
  quota: 'Its content was not kept: all together were larger than maxTotalBytes',
  unreadable: 'Its content could not be read before it was changed',
  moved: 'It was there before, in a place that is not remembered; move it back yourself, or use force to remove it',
  present:
    'Its present content is not kept (maxFileBytes, maxTotalBytes) and would be lost for good; remove it yourself',
};

/** Nothing was changed at all. */
export function failedRewind(filePath: string, error: string, dryRun: boolean): RewindResult {
  const nothing = { restoredFiles: [], deletedFiles: [], conflicts: [], unrestorable: [], skipped: [], changes: [] };
  return { success: false, errors: [{ filePath, error }], ...nothing, insertions: 0, deletions: 0, dryRun };
}

/** One example for each rule. */
function skippedOf(leftOut: readonly LeftOut[], placeOf: Told['placeOf']): Skipped[] {
  const examples = new Map(leftOut.toReversed().map(({ path, why }) => [why, path]));
  return [...examples].map(([reason, path]) => ({ filePath: placeOf(path), reason })).reverse();
}

/** What the actions do to each file, in lines. */
export async function changesOf(
  actions: readonly Action[],
  { read, placeOf }: { readonly read: (hash: string) => Promise<Uint8Array>; readonly placeOf: Told['placeOf'] },
): Promise<RewindChange[]> {
  const textOf = async (entry: Entry | null): Promise<string | undefined> => {
    if (entry === null) return '';
    if (entry.kind !== 'file' || entry.hash === null || entry.size > MAX_TEXT_BYTES) return undefined;
    const content = await read(entry.hash);
    return isUtf8(content) && !content.includes(0) ? Buffer.from(content).toString() : undefined;
  };
  const changes: RewindChange[] = [];
  for (const { path, from, to } of actions) {
    const [old, fresh] = [await textOf(from), await textOf(to)];
    const lines = old === undefined || fresh === undefined ? { insertions: 0, deletions: 0 } : lineChanges(old, fresh);
    const operation = from === null ? 'create' : to === null ? 'delete' : 'modify';
    changes.push({ filePath: placeOf(path), operation, ...lines });
  }
  return changes;
}
