import { type Entry, isSame, type TreePath } from '../tree/entry.ts';

/** A change, in the order of changes. `calls` are those that it belongs to; null is somebody else's. */
export interface Change {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
  readonly calls: readonly string[] | null;
}

/** One path to bring from one state to another. */
export interface Action {
  readonly path: TreePath;
  readonly from: Entry | null;
  readonly to: Entry | null;
}

/** Stands among the calls of a change that may have hidden one of somebody else's, because an earlier look had failed. */
export const IN_DOUBT = '?';
/** Stands among the calls of a change that has brought a file from where nothing is remembered, such as an ignored one. */
export const MOVED_IN = '>';

export interface Plan {
  readonly actions: readonly Action[];
  /** Changed by somebody else as well, and left alone. */
  readonly conflicts: readonly TreePath[];
  /** Their earlier content was not kept, or the present one would be lost for good; they are left alone. */
  readonly unrestorable: readonly { readonly path: TreePath; readonly why: string }[];
}

/**
 * What takes the changes of the calls back. Of each path, T is its state before the first of them, A that after the last, C the present one:
 * C is T: nothing to do; C is A: T is restored; else, or when somebody else changed it in between, it is a conflict, restored with `force`
 * only. A file whose present content is not kept does not go when it is older than the message, and stays when a call has removed such a
 * file: it may be that one, moved or packed. Nor goes, without `force`, one that was moved in and whose content comes back nowhere.
 */
export function planRewind(
  changes: readonly Change[],
  present: (path: TreePath) => Entry | null,
  { force, isOlder = () => false }: { readonly force: boolean; readonly isOlder?: (path: TreePath) => boolean },
): Plan {
  const movedIn = new Set(changes.flatMap(({ path, calls }) => (calls?.includes(MOVED_IN) ? path : [])));
  const actions: Action[] = [];
  const conflicts: TreePath[] = [];
  const unrestorable: { path: TreePath; why: string }[] = [];
  for (const [path, own] of Map.groupBy(
    changes.filter(({ calls }) => calls !== null),
    ({ path }) => path,
  )) {
    const [from, to] = [present(path), own[0]!.before];
    if (isSame(from, to)) continue;
    const isAlone =
      isSame(from, own.at(-1)!.after) &&
      own.every(
        ({ before, calls }, at) => !calls?.includes(IN_DOUBT) && (at === 0 || isSame(before, own[at - 1]!.after)),
      );
    if (!isAlone && !force) conflicts.push(path);
    else if (to?.kind === 'file' && to.hash === null) unrestorable.push({ path, why: to.why ?? 'too_large' });
    else actions.push({ path, from, to });
  }
  const isRemoved = unrestorable.some(({ path }) => present(path) === null);
  const kept = actions.filter((one) => holdsUnkept(one) && (isRemoved || (one.to === null && isOlder(one.path))));
  const back = new Set(actions.flatMap(({ to }) => (to?.kind === 'file' ? to.hash : [])));
  const moved = actions.filter(({ path, from, to }) => {
    const hash = from?.kind === 'file' ? from.hash : null;
    return !force && to === null && hash !== null && !back.has(hash) && movedIn.has(path);
  });
  unrestorable.push(...kept.map(({ path }) => ({ path, why: 'present' })));
  unrestorable.push(...moved.map(({ path }) => ({ path, why: 'moved' })));
  const stay = new Set([...kept, ...moved]);
  return { actions: actions.filter((one) => !stay.has(one)), conflicts, unrestorable };
}

/** True when the action takes away a content of which there is no copy. A file that was only closed gets its content back. */
function holdsUnkept({ from, to }: Action): boolean {
  return from?.kind === 'file' && from.hash === null && (to === null || from.why !== 'unreadable');
}

/** Returns the rest of an action that was cut off; undefined when it is done, or when somebody else has changed the path since. */
export function restOf(action: Action, present: Entry | null): Action | undefined {
  if (isSame(present, action.to)) return undefined;
  return isSame(present, action.from) || isOnTheWay(action, present) ? { ...action, from: present } : undefined;
}

/** Between two steps of an action: a link, and what becomes of another kind, is away for a moment; a directory is opened first, and gets its mode last. */
export function isOnTheWay({ from, to }: Action, present: Entry | null): boolean {
  if (from?.kind === 'directory' && present?.kind === 'directory' && present.mode === openedMode(from)) return true;
  if (to === null) return false;
  if (present === null) return from !== null && (from.kind !== to.kind || to.kind === 'symlink');
  return to.kind === 'directory' && present.kind === 'directory' && from?.kind !== 'directory';
}

/** The mode of a directory while a rewind works in it: a call may have closed it to its own user. */
export function openedMode({ mode }: { readonly mode: number }): number {
  return mode | 0o700;
}
