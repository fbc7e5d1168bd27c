import type { FileStat, Workspace } from '@x/core';
import { joinPath, splitPath } from './workspace-path.ts';

const MAX_NAMES = 5_000;
const MAX_SUGGESTIONS = 3;

/** The message for a missing file, with similar names from its directory. */
export async function missingFile(workspace: Workspace, path: string): Promise<string> {
  const { directory, name } = splitPath(joinPath(workspace.cwd, path));
  const parent = await followedStat(workspace, directory);
  if (parent?.kind !== 'directory') return `${path} does not exist; neither does the directory ${directory}.`;
  const similar = closest(name, await namesIn(workspace, directory));
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : '';
  return `${path} does not exist (relative paths start at ${workspace.cwd}).${hint}`;
}

async function namesIn(workspace: Workspace, directory: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of workspace.list(directory)) {
    names.push(name);
    if (names.length === MAX_NAMES) break;
  }
  return names;
}

function closest(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const near = Math.max(2, Math.floor(name.length / 3));
  return names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= near)
    .sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

/** 1 for the same stem with another extension; else the number of different characters (Levenshtein). */
function distanceOf(one: string, other: string): number {
  if (stemOf(one) === stemOf(other)) return one === other ? 0 : 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

function stemOf(name: string): string {
  return name.replace(/(?<=.)\.[^.]*$/, '');
}

/** What is behind the path, links followed; undefined when nothing is there. */
export async function followedStat(workspace: Workspace, path: string): Promise<FileStat | undefined> {
  const found = await workspace.stat(path);
  return found?.kind === 'symlink' ? workspace.stat(await workspace.resolve(path)) : found;
}
