import type { FileStat, Workspace } from '@x/core';

/** Describes the target of a path, links followed; undefined when it is missing. */
export async function followedStat(workspace: Workspace, path: string): Promise<FileStat | undefined> {
  const found = await workspace.stat(path);
  return found?.kind === 'symlink' ? workspace.stat(await workspace.resolve(path)) : found;
}
