import type { Workspace } from '@x/core';
import { messageOf } from '@x/core/internal';
import { textOfPath } from '@x/sandbox/internal';
import type { Entry, TreePath } from '../tree/entry.ts';
import { type Action, openedMode } from './plan-rewind.ts';

export interface ApplyOptions {
  readonly workspace: Workspace;
  readonly read: (hash: string) => Promise<Uint8Array>;
  readonly setMode: (path: TreePath, mode: number) => Promise<void>;
  /** The absolute path, as text. */
  readonly placeOf: (path: TreePath) => string;
}

/** The places are real ones: a link that has come into a path is not followed. */
const BOUND = { noFollow: true } as const;

/** Brings every path to its state, one by one through the doors; returns those that could not be. */
export async function applyRewind(
  actions: readonly Action[],
  { workspace, read, setMode, placeOf }: ApplyOptions,
): Promise<Map<TreePath, string>> {
  const failed = new Map<TreePath, string>();
  const tryOn = async (path: TreePath, act: (place: string) => Promise<void>) => {
    if (failed.has(path)) return;
    try {
      await act(placeOf(path));
    } catch (error) {
      failed.set(path, messageOf(error));
    }
  };
  const downwards = actions.toSorted((one, other) => depthOf(one.path) - depthOf(other.path));
  const upwards = downwards.toReversed();
  for (const { path, from } of downwards) {
    if (from?.kind === 'directory' && openedMode(from) !== from.mode)
      await tryOn(path, () => setMode(path, openedMode(from)));
  }
  for (const { path, from, to } of upwards) {
    if (!from || from.kind === to?.kind) continue;
    const isKeptFull = [...failed.keys()].some((one) => one.startsWith(`${path}/`));
    if (isKeptFull) failed.set(path, 'It holds what could not be removed');
    else await tryOn(path, (place) => removeFrom(workspace, place, { from, to }));
  }
  for (const { path, from, to } of downwards) {
    if (to?.kind === 'directory' && from?.kind !== 'directory') {
      await tryOn(path, (place) => workspace.makeDirectory(place, BOUND));
    }
  }
  for (const { path, from, to } of downwards) {
    if (to?.kind === 'symlink') {
      await tryOn(path, async (place) => {
        if (from?.kind === 'symlink') await workspace.remove(place, BOUND);
        await workspace.makeLink(place, textOfPath(to.target), BOUND);
      });
    } else if (to?.kind === 'file') {
      await tryOn(path, async (place) =>
        workspace.writeFile(place, await read(to.hash ?? ''), { ...BOUND, mode: to.mode }),
      );
    }
  }
  for (const { path, to } of upwards) if (to?.kind === 'directory') await tryOn(path, () => setMode(path, to.mode));
  return failed;
}

/** A directory that somebody else has put something into stays. */
async function removeFrom(
  workspace: Workspace,
  place: string,
  { from, to }: { readonly from: Entry; readonly to: Entry | null },
): Promise<void> {
  try {
    await workspace.remove(place, BOUND);
  } catch (error) {
    if (from.kind !== 'directory' || to !== null || !(await holdsSomething(workspace, place))) throw error;
  }
}

async function holdsSomething(workspace: Workspace, place: string): Promise<boolean> {
  for await (const _ of workspace.list(place, BOUND)) return true;
  return false;
}

function depthOf(path: TreePath): number {
  return path.split('/').length;
}
