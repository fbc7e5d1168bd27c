import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface CommitHistory {
  readonly commits: readonly string[];
  /** Brings a directory from the commit before to this one, as git does it. */
  readonly bring: (root: string, commit: string) => void;
}

const NAME = { name: 'A', email: 'a@example.com' };

/** A repository of so many commits: files added, edited, moved and removed, binary ones, programs, links, directories that become files. */
export function commitHistory(folder: string, commits: number, random: () => number): CommitHistory {
  const tree = join(folder, 'tree');
  mkdirSync(tree, { recursive: true });
  const settings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: join(folder, 'repository') };
  const own = { GIT_AUTHOR_NAME: NAME.name, GIT_AUTHOR_EMAIL: NAME.email, GIT_COMMITTER_NAME: NAME.name };
  const env = { ...process.env, ...settings, ...own, GIT_COMMITTER_EMAIL: NAME.email };
  const git = (root: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    execFileSync('git', words, {
      env: { ...env, GIT_WORK_TREE: root, ...more },
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git(tree, ['init', '-q']);
  const made: string[] = [];
  for (let commit = 0; commit < commits; commit++) {
    const edits = commit === 0 ? 60 : 1 + Math.floor(random() * 6);
    for (let edit = 0; edit < edits; edit++) changeSomething(tree, { random, isNew: commit === 0 });
    git(tree, ['add', '-A']);
    git(tree, ['commit', '-q', '--allow-empty', '-m', `${commit}`]);
    made.push(git(tree, ['rev-parse', 'HEAD']));
  }
  const index = { GIT_INDEX_FILE: join(folder, 'index-of-the-copy') };
  return { commits: made, bring: (root, commit) => void git(root, ['read-tree', '-u', '--reset', commit], index) };
}

function changeSomething(tree: string, { random, isNew }: { random: () => number; isNew: boolean }): void {
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const number = () => Math.floor(random() * 1e9);
  const fresh = () =>
    join(tree, pick(['', 'src', 'src/deep', 'docs', 'docs/a/b']), `${pick(['f', 'g', 'h'])}${number() % 40}`);
  const write = (path: string, content: string | Buffer) => {
    makeRoom(tree, path); // Node 22 removes nothing below a file, not even by force
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, content);
  };
  const text = () => Array.from({ length: 1 + (number() % 80) }, (_, line) => `${line} ${number()}\n`).join('');
  const bytes = () => Buffer.from(Array.from({ length: number() % 3000 }, () => number() % 256));
  const known = paths(tree);
  if (isNew || known.length < 5) return write(fresh(), text());
  const path = pick(known);
  const stats = lstatSync(path);
  const deeds: readonly (() => void)[] = [
    () => write(fresh(), text()),
    () => write(fresh(), bytes()),
    () => (stats.isFile() ? writeFileSync(path, text(), { flag: 'a' }) : write(path, text())),
    () => (stats.isFile() ? writeFileSync(path, text()) : write(path, bytes())),
    () => rmSync(path, { recursive: true }),
    () => move(tree, path, fresh()),
    () => stats.isFile() && chmodSync(path, stats.mode & 0o100 ? 0o644 : 0o755),
    () => link(tree, fresh(), `f${number() % 40}`),
    () => write(pick([join(tree, 'src/deep'), join(tree, 'docs/a'), join(tree, 'docs')]), text()), // a directory becomes a file
    () => write(join(path, 'inner'), text()), // and a file a directory
  ];
  pick(deeds)();
}

function move(tree: string, from: string, to: string): void {
  if (to.startsWith(`${from}/`) || from.startsWith(`${to}/`) || from === to) return;
  makeRoom(tree, to);
  rmSync(to, { recursive: true, force: true });
  if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, to);
}

function link(tree: string, path: string, target: string): void {
  makeRoom(tree, path);
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

/** Directories around the path; what is no directory gives way. */
function makeRoom(tree: string, path: string): void {
  const around = dirname(path);
  if (around === tree) return;
  makeRoom(tree, around);
  if (lstatSync(around, { throwIfNoEntry: false })?.isDirectory()) return;
  rmSync(around, { force: true });
  mkdirSync(around);
}

function paths(tree: string): string[] {
  return readdirSync(tree, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((one) => !one.isDirectory())
    .map((one) => join(one.parentPath, one.name))
    .toSorted();
}
