import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../test/has-bubblewrap.ts';
import { type CreateSandboxOptions, createSandbox, type SandboxResult } from './create-sandbox.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'box [x] *')));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(command: string | readonly string[], options: CreateSandboxOptions = {}): Promise<SandboxResult> {
  const box = await createSandbox({ cwd: folder, ...options });
  try {
    return await box.run(command);
  } finally {
    await box.close();
  }
}
const git = (...words: string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder, encoding: 'utf8' });
const commit = (message: string) => `git -c user.name=a -c user.email=a@b commit -qam ${message}`;

describe.skipIf(!hasBubblewrap)(`a repository in a sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it('keeps what the host obeys as it is, existing or not, and leaves nothing behind (ZS06, B28)', async () => {
    git('init', '-q');
    writeFileSync(join(folder, 'a'), 'a');
    git('add', 'a');
    git('commit', '-qm', 'first');
    writeFileSync(join(folder, '.npmrc'), 'old');
    const before = readdirSync(folder).sort();

    const attempts = await run(
      [
        'for f in .bashrc .mcp.json .vscode .envrc .claude; do echo x > $f; mkdir $f/x; mv $f y; rmdir $f; ln -sf /etc $f; done',
        'echo x > .npmrc; rm .npmrc; mv .npmrc y; ln -sf /etc/passwd .npmrc',
        'echo x > .git/hooks/pre-commit; rm -rf .git/hooks; mv .git/hooks .git/h; ln -s /tmp .git/hooks',
        'git config core.fsmonitor id; echo x >> .git/config; mv .git old; rm -rf .git/config; echo ../x > .git/commondir',
        'ls',
      ].join('\n'),
    );
    const work = await run(
      `git status --porcelain; echo b >> a; ${commit('second')}; git add -A; git status --porcelain`,
    );

    expect(attempts.violations.length).toBeGreaterThan(5);
    expect(work).toMatchObject({ exitCode: 0, stdout: '?? .npmrc\nA  .npmrc\n' });
    expect(readdirSync(folder).sort()).toEqual(before);
    expect(spawnSync('cat', [join(folder, '.npmrc')], { encoding: 'utf8' }).stdout).toBe('old');
    expect(git('config', 'core.fsmonitor').stdout).toBe('');
    expect(readdirSync(join(folder, '.git')).filter((name) => ['commondir', 'h', 'y'].includes(name))).toEqual([]);
    expect(git('log', '--format=%s').stdout).toBe('second\nfirst\n');
  });

  it('works in a worktree, whose hooks and configuration lie elsewhere, and keeps those (ZS07)', async () => {
    const main = join(folder, 'main');
    mkdirSync(main);
    const inMain = (...words: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: main, encoding: 'utf8' });
    inMain('init', '-q');
    writeFileSync(join(main, 'a'), 'a');
    inMain('add', 'a');
    inMain('commit', '-qm', 'first');
    inMain('worktree', 'add', '-q', join(folder, 'tree'));

    const { stdout } = await run(
      `echo b >> a; ${commit('second')} && git log --format=%s; echo x > ${main}/.git/hooks/pre-commit; git config a.b c; echo x > .git; echo x > ${main}/a`,
      { cwd: join(folder, 'tree') },
    );

    expect(stdout).toBe('second\nfirst\n');
    expect(existsSync(join(main, '.git/hooks/pre-commit'))).toBe(false);
    expect(inMain('config', 'a.b').stdout).toBe('');
    expect(inMain('status', '--porcelain').stdout).toBe('');
  });

  it('does not believe a file .git that leads to a repository which knows nothing of it', async () => {
    const other = join(folder, 'other');
    const box = join(folder, 'box');
    for (const path of [other, box]) mkdirSync(path);
    spawnSync('git', ['init', '-q'], { cwd: other });
    writeFileSync(join(box, '.git'), `gitdir: ${other}/.git\n`);

    await run(`touch ${other}/.git/x`, { cwd: box });

    expect(existsSync(join(other, '.git', 'x'))).toBe(false);
  });

  it('puts a linked .git/hooks back that was replaced, and tells of it (B28)', async () => {
    git('init', '-q');
    rmSync(join(folder, '.git/hooks'), { recursive: true });
    mkdirSync(join(folder, 'own-hooks'));
    symlinkSync('../own-hooks', join(folder, '.git/hooks'));

    const { violations } = await run('rm .git/hooks; mkdir .git/hooks; echo x > .git/hooks/pre-commit');
    await run('echo x > own-hooks/pre-commit');

    expect(violations).toContainEqual({ kind: 'file', detail: join(folder, '.git/hooks') });
    expect(lstatSync(join(folder, '.git/hooks')).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(folder, 'own-hooks'))).toEqual([]);
  });
});
