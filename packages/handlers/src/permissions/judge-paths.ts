import { AgentError, type Workspace } from '@x/core';
import type { ToolSubject } from '@x/core/internal';
import type { JudgedSubject } from './match-rule.ts';
import { normalPath, type PathForms, segmentsOf } from './path-forms.ts';
import { baseOf, type Places } from './path-rule.ts';
import type { PermissionRule } from './rule.ts';

const NOTHING: ReadonlyMap<string, string> = new Map();

/** A path of a call in all its forms. Rejects with the workspace's error when it cannot be resolved. */
export async function pathForms(path: string, workspace: Workspace, home: string | undefined): Promise<PathForms> {
  const spelled = normalPath(path, workspace.cwd);
  const resolved = normalPath(await workspace.resolve(path), workspace.cwd);
  const inHome = home !== undefined && /^~(\/|$)/.test(path) ? { inHome: normalPath(path.slice(2), home) } : {};
  const own = spelled === resolved ? {} : { own: await ownPlace(spelled, workspace) };
  return { spelled, resolved, ...own, ...inHome };
}

async function ownPlace(spelled: string, workspace: Workspace): Promise<string> {
  if (spelled === '/') return spelled;
  const around = await workspace.resolve(normalPath('..', spelled));
  return normalPath(segmentsOf(spelled).at(-1)!, normalPath(around, workspace.cwd));
}

/** The subject in the form that rules are matched against. @throws AgentError for an invalid one */
export function judgedSubject(
  subject: ToolSubject,
  workspace: Workspace,
  home: string | undefined,
): JudgedSubject | Promise<JudgedSubject> {
  if (subject.type === 'command' && typeof subject.line === 'string') return subject;
  if (subject.type === 'url' && typeof subject.url === 'string') return subject;
  if (subject.type !== 'paths' || !Array.isArray(subject.paths) || !subject.paths.every(isText)) {
    throw new AgentError('its input is not of the kind the tool takes', { code: 'PERMISSION_INPUT' });
  }
  return Promise.all(subject.paths.map((path) => pathForms(path, workspace, home))).then((paths) => ({
    type: 'paths',
    paths,
  }));
}

/** The places without resolved links, for calls that are not about paths. */
export function spelledPlaces({ cwd }: Workspace, home: string | undefined): Places {
  const own = normalPath(cwd, '/');
  return { cwd: own, resolvedCwd: own, ...(home === undefined ? {} : { home }), resolvedBases: NOTHING };
}

/** The places with links resolved: the directories that rules start at and, for `strict` rules, the names before the first wildcard. */
export async function resolvedPlaces(
  workspace: Workspace,
  { home, strict }: { home: string | undefined; strict: readonly PermissionRule[] },
): Promise<Places> {
  const spelled = spelledPlaces(workspace, home);
  const [resolvedCwd, resolvedHome] = await Promise.all([
    workspace.resolve(spelled.cwd),
    home === undefined ? undefined : orItself(home, workspace),
  ]);
  const places = { ...spelled, resolvedCwd, ...(resolvedHome === undefined ? {} : { resolvedHome }) };
  const bases = new Set(
    strict.flatMap((rule) => rule.pattern?.paths?.flatMap((path) => baseOf(path, places) ?? []) ?? []),
  );
  if (bases.size === 0) return places;
  const resolved = await Promise.all([...bases].map(async (base) => [base, await orItself(base, workspace)] as const));
  return { ...places, resolvedBases: new Map(resolved) };
}

/** The targets of those paths that are links, or lie below one. */
export async function linkedPaths(paths: readonly string[], workspace: Workspace): Promise<readonly string[]> {
  const resolved = await Promise.all(
    paths.map(async (path) => ({ path, place: await orItself(normalPath(path, workspace.cwd), workspace) })),
  );
  return resolved.flatMap(({ path, place }) => (place === normalPath(path, workspace.cwd) ? [] : [place]));
}

/** A base that cannot be resolved (a cycle of links) still counts as spelled. */
async function orItself(path: string, workspace: Workspace): Promise<string> {
  return await workspace.resolve(path).catch(() => path);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
