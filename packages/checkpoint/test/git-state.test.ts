import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

const GIT =
  'export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; git() { command git -c user.name=a -c user.email=a@b "$@"; }; set -e;';
const hasGit = spawnSync('git', ['--version']).status === 0;

/** A repository with staged and stashed changes, a submodule, a linked worktree, a nested repository, and one without a commit. */
function repository() {
  const { root, file } = place();
  const git = (line: string) => shell(root, `${GIT} ${line}`);
  git(`git init -q ../library; echo 1 > ../library/l; git -C ../library add l; git -C ../library commit -qm 1
    git init -q; echo 1 > a; mkdir src; echo 1 > src/b; git add .; git commit -qm 1; git tag v1; git branch other
    git -c protocol.file.allow=always submodule add -q "$(realpath ../library)" sub; git commit -qm 2
    git worktree add -q tree other; git init -q nested; echo 1 > nested/n; git -C nested add n; git -C nested commit -qm 1; git init -q hollow
    echo stashed > a; git stash -q; echo staged > src/b; git add src/b; echo loose > src/b; git config x.y z`);
  return { root: realpathSync(root), file, git };
}

/** Every file of every repository below: index, references, stash, configuration, objects, and the files that lead to them. */
const gitFiles = (root: string) => Object.fromEntries(Object.entries(picture(root)).filter(([path]) => isOfGit(path)));
const ordinary = (root: string) => Object.fromEntries(Object.entries(picture(root)).filter(([path]) => !isOfGit(path)));
const isOfGit = (path: string) => path.split('/').includes('.git');

const CHANGES = `for f in a src/b sub/l tree/a nested/n; do echo agent > $f; done; rm tree/src/b
  for d in sub nested hollow tree; do echo agent > $d/made; done; mkdir -p hollow/deep`;

describe.skipIf(!hasGit)('checkpoints of repositories (needs git)', () => {
  it('have submodules, linked worktrees and nested repositories as ordinary directories, and leave all of git alone (ZC08)', async () => {
    const { root, file } = repository();
    const [before, git] = [ordinary(root), gitFiles(root)];
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, CHANGES));
    const after = ordinary(root);
    expect(gitFiles(root)).toEqual(git);

    const result = await checkpointer.rewind('m1');

    expect(result).toMatchObject({ success: true, errors: [], conflicts: [], unrestorable: [] });
    expect(ordinary(root)).toEqual(before);
    expect(gitFiles(root)).toEqual(git);
    expect(result.skipped).toEqual([{ filePath: join(root, '.git'), reason: '.git' }]);
    await checkpointer.rewind(result.rewindId!);
    expect(ordinary(root)).toEqual(after);
    expect(gitFiles(root)).toEqual(git);
    // What is compared is there at all.
    const names = Object.keys(git);
    for (const name of [
      '.git/index',
      '.git/refs/stash',
      'sub/.git',
      'tree/.git',
      'nested/.git/HEAD',
      'hollow/.git/HEAD',
      '.git/worktrees/tree/index',
      '.git/modules/sub/index',
    ])
      expect(names).toContain(name);
  });

  it.each(['sub', 'tree'])('are made of a submodule or a linked worktree alone: %s (ZC08)', async (name) => {
    const { root, file } = repository();
    const cwd = join(root, name);
    const [before, git] = [picture(cwd), gitFiles(root)];
    const checkpointer = await opened({ root: cwd, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(cwd, 'echo agent | tee l a made'));

    expect(await checkpointer.rewind('m1')).toMatchObject({ success: true });
    expect(picture(cwd)).toEqual(before);
    expect(gitFiles(root)).toEqual(git);
  });

  it('leave what git itself has done in a call: its files come back, its state does not (ZC08)', async () => {
    const { root, file, git } = repository();
    const before = ordinary(root);
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () =>
      git('git add a src; git commit -qm 3; git checkout -qf v1; git init -q fresh'),
    );
    const state = gitFiles(root);

    const planned = await checkpointer.rewind('m1', { dryRun: true });
    const result = await checkpointer.rewind('m1');

    expect(gitFiles(root)).toEqual(state);
    const { fresh, ...left } = ordinary(root); // it is not empty: its repository is left out
    expect([left, fresh]).toEqual([before, expect.stringContaining('directory')]);
    expect([planned.deletedFiles, result.deletedFiles]).toEqual([[], []]);
  });

  it('see a change of the index (control)', () => {
    const { root, git } = repository();
    const before = gitFiles(root);

    git('git add src/b');

    expect(gitFiles(root)).not.toEqual(before);
  });
});
