import { accessSync, constants, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isBelow } from '../../policy/is-below.ts';
import { kindOf } from './kind-of.ts';

/** What commands must not change below the directories that they may write. */
export interface ProtectedPlaces {
  /** Written as usual, but neither moved nor replaced: a mount holds them where they are. */
  readonly held: readonly string[];
  readonly readOnly: readonly string[];
  /** Nothing can be mounted over a link: whether it was replaced is looked at afterwards. */
  readonly links: readonly string[];
  /** They do not exist, and must not come into being. */
  readonly absent: readonly string[];
  /** They do not exist, and a directory in their place would disturb git: one that has come into being is removed afterwards. */
  readonly unmade: readonly string[];
  /** Directories outside that belong to the repository and may be written. */
  readonly outside: readonly string[];
}

/**
 * Names that some program on the host executes or obeys without being asked: at the top of a directory that may be written they stay as
 * they are, and do not come into being.
 */
const NEVER_MADE: readonly string[] = [
  '.bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .envrc',
  '.mcp.json .vscode .idea .zed .devcontainer .devcontainer.json .agent-sdk .claude .cursor .codex .gemini',
].flatMap((names) => names.split(' '));
/** They stay as they are, but an empty directory in their place would disturb git and package managers. */
const NEVER_CHANGED: ReadonlySet<string> = new Set(
  [
    '.bash_logout .bash_aliases .inputrc .zlogout .kshrc .cshrc .tcshrc .login .gitconfig',
    '.gitmodules .exrc .vimrc .gvimrc .nvimrc .nvim.lua .ripgreprc .pre-commit-config.yaml .npmrc .yarnrc.yml',
    '.yarnrc .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .ssh .hg .jj .fleet .husky .githooks',
  ]
    .flatMap((names) => names.split(' '))
    .concat(NEVER_MADE),
);
/** Below a git directory; `modules` and `worktrees` are git directories in their turn. */
const OF_GIT = ['config', 'config.worktree', 'hooks', 'info', 'modules', 'worktrees', 'commondir', 'gitdir'];
/** These name another place for the rest. */
const LEAD_ELSEWHERE = ['commondir', 'config.worktree'];

/** Finds them in one directory that may be written: its real path. */
export function protectedPlaces(root: string): ProtectedPlaces {
  const own = readdirSync(root).filter(
    (name) => NEVER_CHANGED.has(name.toLowerCase()) && kindOf(join(root, name)) !== undefined,
  );
  const there = new Set(own.map((name) => name.toLowerCase()));
  const missing = NEVER_MADE.filter((name) => !there.has(name));
  const git = gitPlaces(root);
  const found = byKind([...[...own, ...missing].map((name) => join(root, name)), ...git.places]);
  return { ...found, held: git.held, unmade: git.unmade, outside: git.outside };
}

/** A repository's own places. Its file `.git` decides where it is, and is itself protected. */
function gitPlaces(root: string): Pick<ProtectedPlaces, 'held' | 'unmade' | 'outside'> & { places: string[] } {
  const git = join(root, '.git');
  if (kindOf(git) === 'directory')
    return { places: insideOfGit(git), held: [git], unmade: missingIn(git), outside: [] };
  const outside = kindOf(git) === undefined ? [] : repositoriesOf(root, git);
  return { places: [git, ...outside.flatMap(insideOfGit)], held: [], unmade: outside.flatMap(missingIn), outside };
}

function insideOfGit(directory: string): string[] {
  const there = OF_GIT.map((name) => join(directory, name)).filter((place) => kindOf(place) !== undefined);
  return [...new Set([...there, join(directory, 'hooks')])];
}

function missingIn(directory: string): string[] {
  return LEAD_ELSEWHERE.map((name) => join(directory, name)).filter((place) => kindOf(place) === undefined);
}

function byKind(places: readonly string[]): Pick<ProtectedPlaces, 'readOnly' | 'links' | 'absent'> {
  const links = places.filter((place) => kindOf(place) === 'link');
  return {
    links,
    readOnly: [...places.filter((place) => isThere(kindOf(place))), ...links.flatMap(targetOf)],
    absent: places.filter((place) => kindOf(place) === undefined && !isOnReadOnly(dirname(place))),
  };
}

/** True on a read-only file system: nothing can come into being there. */
function isOnReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** What a mount can cover. */
function isThere(kind: ReturnType<typeof kindOf>): boolean {
  return kind === 'file' || kind === 'directory';
}

function targetOf(link: string): string[] {
  try {
    return [realpathSync.native(link)];
  } catch {
    return []; // leads nowhere
  }
}

/**
 * The git directories that a file or link `.git` leads to: those of a worktree or a submodule, or the target of the link. Only when they
 * point back: what names `.git` must not open a directory of the file's own choice.
 */
function repositoriesOf(root: string, git: string): string[] {
  try {
    const own = realpathSync.native(gitDirectoryOf(git));
    const common = readText(join(own, 'commondir'));
    if (common === undefined) return pointsBack(own, root) ? [own] : [];
    const backlink = readText(join(own, 'gitdir'));
    if (backlink === undefined || resolve(own, backlink) !== git) return [];
    const shared = realpathSync.native(resolve(own, common));
    return isBelow(own, shared) && dirname(own) === join(shared, 'worktrees') ? [shared, own] : [];
  } catch {
    return [];
  }
}

function gitDirectoryOf(git: string): string {
  if (kindOf(git) === 'link') return git;
  const [, path] = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(git, 'utf8')) ?? [];
  if (path === undefined) throw new Error('not a file of git');
  return resolve(dirname(git), path);
}

/** A submodule's configuration names its working tree. */
function pointsBack(own: string, root: string): boolean {
  const config = readText(join(own, 'config')) ?? '';
  const [, tree] = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(config) ?? [];
  return tree !== undefined && resolve(own, tree) === root;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
