import { AuthorizationError, type ToolKind, type Workspace } from '@x/core';
import { pathForms, resolvedPlaces } from './judge-paths.ts';
import { formsOf, normalPath, type PathForms } from './path-forms.ts';
import { type Places, touches } from './path-rule.ts';
import { type OwnFiles, protectedPath } from './protected-paths.ts';
import type { PermissionRule } from './rule.ts';

export interface GuardOptions {
  readonly deny: readonly PermissionRule[];
  readonly kindOf: (toolName: string) => ToolKind | undefined;
  readonly home?: string;
  /** Given when the call may reach keys and other sessions without naming them: lists leave them out. */
  readonly secrets?: OwnFiles;
  /** The paths that an answer has allowed: one that leads elsewhere by now is closed. */
  readonly answered?: readonly PathForms[];
}
/** Refuses a closed path. @throws AuthorizationError naming the rule */
type Check = (path: string) => Promise<void>;

/**
 * Narrows a workspace's file access by the deny rules that have a path: those of readonly tools deny reading, those of writing tools deny
 * writing, for every tool. A path counts as spelled and with its links resolved; lists leave out denied ones. A path that was allowed by an
 * answer and leads elsewhere by now is denied too. Returns the same workspace when nothing is narrowed. `spawn` is not narrowed: only a
 * sandbox can restrict what a command reads. A second hard link to a file is another path.
 */
export function guardedWorkspace(workspace: Workspace, options: GuardOptions): Workspace {
  const reading = options.deny.filter((rule) => rule.pattern?.paths && options.kindOf(rule.toolName) === 'readonly');
  const writing = options.deny.filter((rule) => rule.pattern?.paths && options.kindOf(rule.toolName) === 'write');
  const { home, secrets, answered = [] } = options;
  if (reading.length + writing.length + answered.length === 0 && !secrets) return workspace;
  let places: Promise<Places> | undefined; // as of the first use in this call
  const placesNow = () => (places ??= resolvedPlaces(workspace, { home, strict: [...reading, ...writing] }));
  const checkFor =
    (rules: readonly PermissionRule[], verb: string): Check =>
    async (path) => {
      const forms = await pathForms(path, workspace, undefined);
      const moved = answered.find(({ spelled, resolved }) => spelled === forms.spelled && resolved !== forms.resolved);
      if (moved) {
        throw new AuthorizationError(
          `${path} leads to ${forms.resolved}, and was allowed when it led to ${moved.resolved}; ask again`,
        );
      }
      const rule = rules.length > 0 ? closedBy(rules, forms, await placesNow()) : undefined;
      if (rule) throw new AuthorizationError(`${path} must not be ${verb}: the rule ${rule.text} denies it`);
    };
  const mayRead = checkFor(reading, 'read');
  const mayWrite = checkFor(writing, 'changed');
  const isSecret = (path: PathForms) =>
    secrets && protectedPath([path], { ...secrets, secretsOnly: true }) !== undefined;
  const isOpen = async (entry: PathForms, directory: PathForms) =>
    !closedBy(reading, entry, await placesNow()) && !(isSecret(entry) && !isSecret(directory));
  return {
    ...workspace,
    ...(reading.length + answered.length > 0 || secrets ? readingDoors(workspace, mayRead, isOpen) : {}),
    ...(writing.length + answered.length > 0 ? writingDoors(workspace, mayWrite) : {}),
  };
}

function closedBy(rules: readonly PermissionRule[], path: PathForms, places: Places): PermissionRule | undefined {
  const forms = formsOf(path);
  return rules.find(({ pattern }) => pattern?.paths?.some((one) => forms.some((form) => touches(one, form, places))));
}

function readingDoors(
  workspace: Workspace,
  mayRead: Check,
  isOpen: (entry: PathForms, directory: PathForms) => Promise<boolean>,
): Pick<Workspace, 'readFile' | 'stat' | 'list'> {
  return {
    async readFile(path) {
      await mayRead(path);
      return await workspace.readFile(path);
    },
    async stat(path) {
      await mayRead(path);
      return await workspace.stat(path);
    },
    async *list(directory) {
      await mayRead(directory);
      const place = await pathForms(directory, workspace, undefined);
      for await (const entry of workspace.list(directory)) {
        const spelled = normalPath(entry.name, place.spelled);
        const target = entry.kind === 'symlink' ? await workspace.resolve(spelled).catch(() => spelled) : undefined;
        const resolved = target ?? normalPath(entry.name, place.resolved);
        if (await isOpen({ spelled, resolved }, place)) yield entry;
      }
    },
  };
}

function writingDoors(
  workspace: Workspace,
  mayWrite: Check,
): Pick<Workspace, 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove'> {
  return {
    async writeFile(path, content, options) {
      await mayWrite(path);
      await workspace.writeFile(path, content, options);
    },
    async makeLink(path, target) {
      await mayWrite(path);
      await mayWrite(normalPath(target, normalPath('..', normalPath(path, workspace.cwd)))); // no second way in
      await workspace.makeLink(path, target);
    },
    async makeDirectory(path) {
      await mayWrite(path);
      await workspace.makeDirectory(path);
    },
    async remove(path) {
      await mayWrite(path);
      await workspace.remove(path);
    },
  };
}
