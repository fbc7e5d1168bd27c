import { AuthorizationError, type FileKind, isAgentError, type ToolKind, type Workspace } from '@x/core';
import type { PathOptions } from '@x/core/internal';
import { pathForms, resolvedPlaces } from './judge-paths.ts';
import { type JudgedPlace, judgedPlace, ownOf, refuseMoved } from './judged-place.ts';
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
  /** The paths of the call as they were judged: one that leads elsewhere by now is closed. */
  readonly judged?: readonly PathForms[];
}
interface Use extends PathOptions {
  /** The rules that must not speak of the path. */
  readonly closed: readonly PermissionRule[];
  /** The name itself is meant, not what is behind its link. */
  readonly isName?: boolean;
}
/** The place that a door is to use for a path, which was looked at: the path, where it leads to, and what was judged of it. */
interface Target {
  readonly path: string;
  readonly at: string;
  readonly forms: PathForms;
  readonly judged: JudgedPlace | undefined;
}
interface Guard {
  /** @throws AuthorizationError for a closed path */
  readonly find: (path: string, use: Use) => Promise<Target>;
  readonly reading: readonly PermissionRule[];
  readonly writing: readonly PermissionRule[];
}

/** Of every door: no link has a say after the place was looked at. */
const BOUND: PathOptions = { noFollow: true };

/**
 * Narrows a workspace's file access. Deny rules that have a path close it for every tool: those of readonly tools for reading, those of
 * writing tools for writing; a path counts as spelled and with its links resolved, and lists leave out denied ones. A path that was judged
 * leads to the place it was judged by, or nowhere. What was looked at is what the door gets: the resolved place, with `noFollow`. Returns the
 * same workspace when nothing is narrowed. `spawn` is not narrowed: only a sandbox can restrict what a command reads. A second hard link to a
 * file is another path.
 */
export function guardedWorkspace(workspace: Workspace, options: GuardOptions): Workspace {
  const reading = options.deny.filter((rule) => rule.pattern?.paths && options.kindOf(rule.toolName) === 'readonly');
  const writing = options.deny.filter((rule) => rule.pattern?.paths && options.kindOf(rule.toolName) === 'write');
  const { home, secrets, judged = [] } = options;
  if (reading.length + writing.length + judged.length === 0 && !secrets) return workspace;
  let places: Promise<Places> | undefined; // as of the first use in this call
  const placesNow = () => (places ??= resolvedPlaces(workspace, { home, strict: [...reading, ...writing] }));
  const find: Guard['find'] = async (path, { closed, isName, noFollow }) => {
    const forms = await pathForms(path, workspace, undefined);
    const known = judgedPlace(forms.spelled, judged);
    const isOwn = isName && known?.isInside; // a link in there may lead anywhere, as long as it is not followed
    if (known) refuseMoved(path, isOwn ? ownOf(forms) : forms.resolved, known);
    const rule = closed.length > 0 ? closedBy(closed, forms, await placesNow()) : undefined;
    if (rule) {
      const verb = closed === reading ? 'read' : 'changed';
      throw new AuthorizationError(`${path} must not be ${verb}: the rule ${rule.text} denies it`);
    }
    const own = known?.own ?? ownOf(forms);
    return { path, at: noFollow ? forms.spelled : isName ? own : forms.resolved, forms, judged: known };
  };
  const isSecret = (path: PathForms) =>
    secrets && protectedPath([path], { ...secrets, secretsOnly: true }) !== undefined;
  const isOpen = async (entry: PathForms, directory: PathForms) =>
    !closedBy(reading, entry, await placesNow()) && !(isSecret(entry) && !isSecret(directory));
  const guard = { find, reading, writing };
  const hides = reading.length > 0 || secrets !== undefined;
  return {
    ...workspace,
    ...readingDoors(workspace, guard, hides ? isOpen : undefined),
    ...writingDoors(workspace, guard),
  };
}

function closedBy(rules: readonly PermissionRule[], path: PathForms, places: Places): PermissionRule | undefined {
  const forms = [...new Set([...formsOf(path), ownOf(path)])];
  return rules.find(({ pattern }) => pattern?.paths?.some((one) => forms.some((form) => touches(one, form, places))));
}

/** Calls a door; a place that was replaced meanwhile is refused like one that was replaced before. */
async function orMoved<T>(target: Target, act: (at: string) => Promise<T>): Promise<T> {
  try {
    return await act(target.at);
  } catch (error) {
    throw movedOr(target, error);
  }
}

function movedOr({ path, judged }: Target, error: unknown): unknown {
  if (!judged || !isAgentError(error) || error.code !== 'PATH_CHANGED') return error;
  return new AuthorizationError(
    `${path} leads elsewhere by now, and was allowed when it led to ${judged.place}; ask again`,
  );
}

function readingDoors(
  workspace: Workspace,
  { find, reading: closed }: Guard,
  isOpen: ((entry: PathForms, directory: PathForms) => Promise<boolean>) | undefined,
): Pick<Workspace, 'readFile' | 'stat' | 'list'> {
  return {
    async readFile(path, options) {
      return await orMoved(await find(path, { ...options, closed }), (at) => workspace.readFile(at, BOUND));
    },
    async stat(path, options) {
      const target = await find(path, { ...options, closed, isName: true }).catch(absent);
      return target && (await orMoved(target, (at) => workspace.stat(at, BOUND)));
    },
    async *list(directory, options) {
      const target = await find(directory, { ...options, closed });
      const { spelled } = target.forms;
      try {
        for await (const entry of workspace.list(target.at, BOUND)) {
          if (!isOpen || (await isOpen(await formsOfEntry(entry, target, workspace), { spelled, resolved: target.at })))
            yield entry;
        }
      } catch (error) {
        throw movedOr(target, error);
      }
    },
  };
}

/** A path below a file is the path of nothing. */
function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
  throw error;
}

async function formsOfEntry(
  { name, kind }: { readonly name: string; readonly kind: FileKind },
  { forms, at }: Target,
  workspace: Workspace,
): Promise<PathForms> {
  const spelled = normalPath(name, forms.spelled);
  const target = kind === 'symlink' ? await workspace.resolve(spelled).catch(() => spelled) : undefined;
  return { spelled, resolved: target ?? normalPath(name, at) };
}

function writingDoors(
  workspace: Workspace,
  { find, writing: closed }: Guard,
): Pick<Workspace, 'writeFile' | 'makeLink' | 'makeDirectory' | 'remove'> {
  return {
    async writeFile(path, content, options) {
      const target = await find(path, { ...options, closed });
      await orMoved(target, (at) => workspace.writeFile(at, content, { ...options, ...BOUND }));
    },
    async makeLink(path, target, options) {
      const link = await find(path, { ...options, closed, isName: true });
      if (closed.length > 0) await find(normalPath(target, normalPath('..', link.at)), { closed }); // no second way in
      await orMoved(link, (at) => workspace.makeLink(at, target, BOUND));
    },
    async makeDirectory(path, options) {
      await orMoved(await find(path, { ...options, closed }), (at) => workspace.makeDirectory(at, BOUND));
    },
    async remove(path, options) {
      const target = await find(path, { ...options, closed, isName: true });
      await orMoved(target, (at) => workspace.remove(at, BOUND));
    },
  };
}
