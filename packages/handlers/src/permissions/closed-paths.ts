import type { ToolKind, Workspace } from '@x/core';
import { resolvedPlaces } from './judge-paths.ts';
import { normalPath } from './path-forms.ts';
import { type Places, touches } from './path-rule.ts';
import type { PermissionRule } from './rule.ts';

export interface ClosedPathsOptions {
  readonly deny: readonly PermissionRule[];
  readonly kindOf: (toolName: string) => ToolKind | undefined;
  readonly home: string;
  readonly workspace: Workspace;
}

/**
 * The paths below `roots`, which are real paths, that the deny rules of readonly tools close now: for commands, which go through no door.
 * Looks into every directory, and only when there is such a rule. What is below a closed directory is not named.
 */
export async function closedPaths(
  roots: readonly string[],
  { deny, kindOf, home, workspace }: ClosedPathsOptions,
): Promise<string[]> {
  const rules = deny.filter((rule) => rule.pattern?.paths && kindOf(rule.toolName) === 'readonly');
  if (rules.length === 0) return [];
  const places = await resolvedPlaces(workspace, { home, strict: rules });
  const found: string[] = [];
  for (const root of roots) await walk(root, (path) => isClosed(path, rules, places), { workspace, found });
  return found;
}

async function walk(
  directory: string,
  closed: (path: string) => boolean,
  { workspace, found }: { readonly workspace: Workspace; readonly found: string[] },
): Promise<void> {
  const below: string[] = [];
  try {
    for await (const { name, kind } of workspace.list(directory)) {
      const path = normalPath(name, directory);
      if (kind !== 'symlink' && closed(path)) found.push(path);
      else if (kind === 'directory') below.push(path);
      else if (kind === 'symlink' && closed(path)) found.push(await workspace.resolve(path));
    }
  } catch {
    return; // gone, or closed to this user and so to its commands
  }
  for (const path of below) await walk(path, closed, { workspace, found });
}

function isClosed(path: string, rules: readonly PermissionRule[], places: Places): boolean {
  return rules.some(({ pattern }) => pattern?.paths?.some((one) => touches(one, path, places)));
}
