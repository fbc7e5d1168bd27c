import type { Workspace } from '../workspace.ts';

/** One promise of a workspace, and its check. */
export type WorkspaceCase = readonly [name: string, check: (workspace: Workspace) => Promise<void>];

/** Writes a text file. */
export async function put(workspace: Workspace, path: string, text: string, mode?: number): Promise<void> {
  await workspace.writeFile(path, new TextEncoder().encode(text), mode === undefined ? undefined : { mode });
}

/** Reads a text file. */
export async function get(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode(await workspace.readFile(path));
}

/** The content of a directory, as `name:kind`, sorted. */
export async function listed(workspace: Workspace, directory: string): Promise<string[]> {
  const entries: string[] = [];
  for await (const { name, kind } of workspace.list(directory)) entries.push(`${name}:${kind}`);
  return entries.sort();
}
