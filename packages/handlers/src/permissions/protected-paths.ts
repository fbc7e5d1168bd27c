import type { CommandLine } from '@x/core/command-line';
import { foldedName, formsOf, isBelow, normalPath, type PathForms, segmentsOf } from './path-forms.ts';

/** Where the SDK keeps its own files, spelled or resolved; absolute. */
export interface OwnFiles {
  readonly ownDirectories: readonly string[];
}

/** Files that some program runs or obeys without being asked: a shell, git, an editor, ssh. */
const NAMES = new Set(
  [
    ['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.envrc'],
    ['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc', '.tcshrc', '.login'],
    ['.gitconfig', '.gitmodules', '.mcp.json', '.exrc', '.vimrc', '.gvimrc', '.nvimrc', '.nvim.lua', '.ripgreprc'],
    ['.pre-commit-config.yaml'],
  ].flat(),
);
/** Everything in a directory of one of these names. */
const DIRECTORIES = new Set('.ssh .agent-sdk .vscode .idea .zed .fleet .devcontainer .husky .githooks'.split(' '));
/** Reading these gives away keys, or what other sessions have said. */
const SECRET = new Set(['.ssh', '.agent-sdk']);
/** `.config/<first>/...` */
const CONFIG = new Set(['git', 'fish', 'nvim', 'autostart', 'systemd']);

/** The first of the paths that is asked about in every mode, whatever its case, at any depth, spelled or resolved. */
export function protectedPath(
  paths: readonly PathForms[],
  { ownDirectories, secretsOnly = false }: OwnFiles & { secretsOnly?: boolean },
): string | undefined {
  const isHit = (path: string) =>
    secretsOnly
      ? isSecret(path, ownDirectories)
      : isProtected(path, ownDirectories) || makesRepository(segmentsOf(path).map(folded));
  return paths.flatMap(formsOf).find(isHit);
}

/** Of a directory that holds `HEAD`, `objects` and `refs` git takes the file `config` for its own, as if it were a `.git`. */
function makesRepository(names: readonly string[]): boolean {
  return names.at(-1) === 'head' && !names.includes('.git');
}

/** Whether reading below one of the paths could come across keys or other sessions: they lie there, and are not named. */
export function mayHoldSecrets(
  paths: readonly PathForms[],
  { ownDirectories, home }: OwnFiles & { home?: string },
): boolean {
  const places = [...ownDirectories, ...(home === undefined ? [] : [`${home}/.ssh`])];
  return paths.flatMap(formsOf).some((path) => places.some((place) => isBelow(place, path) && place !== path));
}

/** Whether a line has to be read for them: every protected name begins with a dot, with `/proc`, or with a letter that the shell can only be hiding. */
export function mayNameProtected(line: string, ownDirectories: readonly string[]): boolean {
  return /[.\\'"`$*?[{~]|\/proc/.test(line) || ownDirectories.some((directory) => line.includes(directory));
}

/** The first protected path that a command line names in a word or a redirect. What it only computes is not seen. */
export function protectedWord(
  line: CommandLine,
  { cwd, ownDirectories, home }: OwnFiles & { cwd: string; home?: string },
): string | undefined {
  for (const word of [...wordsOf(line), ...redirectTargets(line.text)]) {
    // Options carry their path behind a sign: --file=x, of=x, host:x, -I/x.
    const parts = [word, ...word.split(/[=:,@]/), word.replace(/^-[A-Za-z]/, '')];
    const hit = parts.find((part) => {
      const spelled = /^~(\/|$)/.test(part) ? `${home ?? ''}/${part.slice(1)}` : part;
      return part !== '' && isProtected(normalPath(spelled, cwd), ownDirectories);
    });
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function isProtected(path: string, ownDirectories: readonly string[]): boolean {
  const names = segmentsOf(path).map(folded);
  // What a process was started with, and all that it knows: the keys of this one.
  if (names[0] === 'proc' && names.length > 2 && /^(environ|mem)$/.test(names.at(-1) ?? '')) return true;
  if (names.some((name) => DIRECTORIES.has(name)) || NAMES.has(names.at(-1) ?? '')) return true;
  const git = names.findIndex((name) => name === '.git' || name === 'git~1');
  if (git !== -1 && decidesForGit(names.slice(git + 1))) return true;
  if (names.some((name, index) => name === '.config' && CONFIG.has(names[index + 1] ?? ''))) return true;
  return isOwn(path, ownDirectories);
}

function isSecret(path: string, ownDirectories: readonly string[]): boolean {
  return segmentsOf(path).some((name) => SECRET.has(folded(name))) || isOwn(path, ownDirectories);
}

/**
 * `.git` itself (a file there leads elsewhere), hooks, configuration and what names the place of both, those of submodules and
 * worktrees too; the commands a rebase has still to run.
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

/** The name as file systems that fold case, ignore invisible letters, or drop a trailing dot would take it. */
function folded(name: string): string {
  const visible = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').replace(/:.*$/, '');
  return foldedName(visible).replace(/[. ]+$/, '');
}

function wordsOf(line: CommandLine): readonly string[] {
  return line.commands.flatMap(({ words }) => words.filter((word) => word !== undefined));
}

/** What stands behind `<` and `>`, without its quotes; a question too many does no harm. */
function redirectTargets(text: string): readonly string[] {
  return Array.from(text.matchAll(/[<>][|&]?\s*([^\s;|&<>()]+)/g), ([, target = '']) => target.replace(/["'\\]/g, ''));
}
