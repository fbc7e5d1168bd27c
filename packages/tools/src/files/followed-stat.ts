import type { FileStat, Workspace } from '@x/core';

/** What is behind the path, links followed; undefined when nothing is there. */
export async function followedStat(workspace: Workspace, path: string): Promise<FileStat | undefined> {
  const found = await workspace.stat(path);
  return found?.kind === 'symlink' ? workspace.stat(await workspace.resolve(path)) : found;
}
