import { foldedName, formsOf, isBelow, type PathForms, segmentsOf } from './path-forms.ts';

/** Directories of the SDK's own files, spelled or resolved; absolute. */
export interface OwnFiles {
  readonly ownDirectories: readonly string[];
}

/** Files that some program executes or reads as configuration without being asked: a shell, git, an editor, ssh. */
const NAMES = new Set(
  [
    ['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.envrc'],
    ['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login'],
    ['.gitconfig', '.gitmodules', '.mcp.json', '.exrc', '.vimrc', '.gvimrc', '.nvimrc', '.nvim.lua', '.ripgreprc'],
    ['.pre-commit-config.yaml', '.devcontainer.json', '.npmrc', '.pnpmfile.cjs', '.yarnrc', '.yarnrc.yml', '.pnp.cjs'],
    ['.pnp.loader.mjs'],
  ].flat(),
);
/** Everything in a directory of one of these names. */
const DIRECTORIES = new Set(
  [
    '.ssh .agent-sdk .hg .jj .vscode .idea .zed .fleet .devcontainer .husky .githooks'.split(' '),
    '.claude .cursor .codex .gemini'.split(' '),
  ].flat(),
);
/** Reading these reveals keys, or conversations of other sessions. */
const SECRET = new Set(['.ssh', '.agent-sdk']);
/** Protected names below a directory of the first name. */
const BELOW: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['.config', new Set(['git', 'fish', 'nvim', 'autostart', 'systemd'])],
  ['.cargo', new Set(['config', 'config.toml'])],
  ['.docker', new Set(['config.json'])],
]);
/** Names below `.git` that affect which programs run. */
const OF_GIT = ['hooks', 'rebase-merge', 'commondir', 'config', 'config.worktree', 'info', 'attributes'];

/** Every protected name, for guessing what an expansion may stand for. */
export const PROTECTED_NAMES: readonly string[] = [
  '.git',
  'proc',
  'self',
  'thread-self',
  'environ',
  ...OF_GIT,
  ...NAMES,
  ...DIRECTORIES,
  ...[...BELOW].flatMap(([directory, names]) => [directory, ...names]),
];

/** The first of the paths that is asked about in every mode, in any case, at any depth, spelled or resolved. */
export function protectedPath(
  paths: readonly PathForms[],
  { ownDirectories, secretsOnly = false }: OwnFiles & { secretsOnly?: boolean },
): string | undefined {
  const isHit = (path: string) =>
    secretsOnly
      ? isSecret(path, ownDirectories)
      : isProtected(path, ownDirectories) || isOfGit(segmentsOf(path).map(folded));
  return paths.flatMap(formsOf).find(isHit);
}

/**
 * True for everything below a `.git`, for tools that write: references and the index affect too what a program runs next. Git treats a
 * directory that holds `HEAD`, `objects` and `refs` like a `.git`, and reads its file `config`.
 */
function isOfGit(names: readonly string[]): boolean {
  return names.includes('.git') || names.at(-1) === 'head';
}

/** True when reading below one of the paths could reach keys or other sessions that are not named themselves. */
export function mayHoldSecrets(
  paths: readonly PathForms[],
  { ownDirectories, home }: OwnFiles & { home?: string },
): boolean {
  const places = [...ownDirectories, ...(home === undefined ? [] : [`${home}/.ssh`])];
  return paths.flatMap(formsOf).some((path) => places.some((place) => isBelow(place, path) && place !== path));
}

/** True when a path is asked about in every mode, for every tool. */
export function isProtected(path: string, ownDirectories: readonly string[]): boolean {
  const names = segmentsOf(path).map(folded);
  if (isOfProcess(names)) return true;
  if (names.some((name) => DIRECTORIES.has(name)) || NAMES.has(names.at(-1) ?? '')) return true;
  const git = names.findIndex((name) => name === '.git' || name === 'git~1');
  if (git !== -1 && decidesForGit(names.slice(git + 1))) return true;
  if (names.some((name, index) => BELOW.get(name)?.has(names[index + 1] ?? ''))) return true;
  return isOwn(path, ownDirectories);
}

/** True for `/proc/<pid>` and `/proc` itself, which reveal the environment of processes: the keys of this one. */
function isOfProcess(names: readonly string[]): boolean {
  if (names[0] === 'proc' && names.length === 1) return true;
  return names.some(
    (name, index) => name === 'proc' && /^(\d+|self|thread-self|(?=.*[*?])[\d*?[\]^!-]+)$/.test(names[index + 1] ?? ''),
  );
}

function isSecret(path: string, ownDirectories: readonly string[]): boolean {
  return segmentsOf(path).some((name) => SECRET.has(folded(name))) || isOwn(path, ownDirectories);
}

/**
 * True for `.git` itself (a file there leads elsewhere), hooks, configuration and files that name the place of both, those of submodules
 * and worktrees too, and the commands that a rebase has still to run.
 */
function decidesForGit(below: readonly string[]): boolean {
  if (below.length === 0 || below.includes('hooks') || below.includes('rebase-merge')) return true;
  const last = below.at(-1);
  if (last === 'commondir') return true;
  return last === 'config' || last === 'config.worktree' || (below.includes('info') && last === 'attributes');
}

function isOwn(path: string, ownDirectories: readonly string[]): boolean {
  return ownDirectories.some((directory) => isBelow(foldedName(path), foldedName(directory)));
}

/** The name as read by file systems that fold case, ignore invisible letters, or drop a trailing dot. */
function folded(name: string): string {
  const visible = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/:.*$/, '');
  return foldedName(visible).replace(/[. ]+$/, '');
}
