import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { isCovered } from './is-covered.ts';
import { parseCommandLine } from './parse.ts';

const covered = (pattern: string, line: string): boolean =>
  isCovered(parseCommandLine(line), [parseCommandPattern(pattern)]);
const byName = (line: string): boolean => covered(`${line.split(' ')[0]} *`, line);

/** The subcommands that this git knows; none where it is missing. */
const known = spawnSync('git', ['--list-cmds=main,others,nohelpers'], { encoding: 'utf8' }).stdout?.split('\n') ?? [];
const judged =
  'add annotate blame branch cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry cherry-pick clean commit ' +
  'count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref fsck gc grep init log ls-files ls-remote ls-tree merge ' +
  'merge-base name-rev notes pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch ' +
  'show-ref stage stash status submodule switch tag var verify-commit verify-tag version whatchanged worktree bisect';

describe('the rule for git alone', () => {
  it('covers the subcommands that were judged, and asks about each other one that git reports', () => {
    const open = known.filter((name) => name !== '' && covered('git *', `git ${name}`));

    expect(open.filter((name) => !judged.split(' ').includes(name))).toEqual([]);
    expect(judged.split(' ').filter((name) => !covered('git *', `git ${name}`))).toEqual([]);
    expect(covered('git *', 'git any-alias')).toBe(false);
  });

  it('covers no step that writes a file of the line into .git', () => {
    const steps = [
      "git commit -q --allow-empty -m 'diff --git a/l b/l'",
      'git log -1 --format=%B | git apply',
      'git merge-file --theirs l/config e p',
      'git mv -f p l/config',
      'git worktree add l/hooks main',
      'git clone https://host/x l/hooks',
    ];

    expect(steps.map((line) => covered('git *', line))).toEqual([true, false, false, false, false, false]);
  });

  it.each([
    'git',
    'git --version',
    'git rev-parse --git-dir',
    'git rev-parse --show-toplevel',
    'git config --get user.name',
    'git config --global --get-all a.b',
    'git config --list --show-origin',
    'git config -l',
    'git config user.email',
    'git push',
    'git push -u origin main',
    'git push origin --delete x',
    'git push https://host/x.git main',
    'git push git@host:a/b.git main',
    'git clone https://host/x.git',
    'git clone --depth 1 -b main git@host:a/b.git dir',
    'git remote -v',
    'git remote show origin',
    'git remote add up https://host/x.git',
    'git worktree list',
    'git submodule update --init --recursive',
    'git bisect start',
    'git cherry-pick -s x',
    'git rebase --continue',
    'git pull --rebase origin main',
    'git pull --strategy-option theirs',
    'git stash pop',
  ])('covers %s', (line) => {
    expect(covered('git *', line)).toBe(true);
  });

  it.each([
    'git push ./evil HEAD',
    'git push evil HEAD',
    'git push -f ../evil',
    'git push file:///evil',
    'git push -o origin ./evil HEAD',
    "git push '--force-with-lease=x origin' ./evil HEAD",
    'git push -- -/../evil',
    'git clone -- https://host/x -/../../y',
    'git push origin --repo=./evil',
    'git clone ./x',
    'git clone /x',
    'git clone file:///x',
    'git clone https://host/x ../y',
    'git clone https://host/x .git',
    'git clone https://host/x a:/../y',
    'git clone --separate-git-dir=d https://host/x',
    'git init --separate-git-dir d',
    'git remote add x ./evil',
    'git remote set-url origin ./evil',
    'git remote remove origin',
    'git config user.name x',
    'git config --add a.b c',
    'git config -e',
    "git config alias.x '!x'",
    'git config',
    'git bisect view x',
    'git bisect replay f',
    'git cherry-pick --strategy=x/y side',
    'git revert --strateg x/y side',
    'git rebase -s x/y side',
    'git worktree add ../x',
    'git submodule add ./x',
    'git hash-object -w f',
    'git update-index --add f',
    'git help x',
  ])('does not cover %s, which a rule may spell', (line) => {
    expect(covered('git *', line)).toBe(false);
    expect(covered(line, line)).toBe(true);
  });
});

describe('the rule for a program alone', () => {
  it.each([
    'curl -sSL -o f https://host',
    'curl --trace-time x',
    'ps aux',
    'ps -ef',
    'ps -e -o pid,etime,comm',
    'ps -p 1',
    'uniq -c f',
    'uniq -f 1 f',
    'xxd -l 16 f',
    'jj log',
    'jj --color always st',
    'hg log',
    'gh pr view 1 --json title',
    'gh auth status',
  ])('covers %s', (line) => {
    expect(byName(line)).toBe(true);
  });

  it.each([
    'curl --engine ./evil.so x',
    'curl --eng ./evil.so x',
    'curl --libcurl f x',
    'curl --trace f x',
    'curl --trace-ascii=f x',
    'ps e',
    'ps eww 1',
    'ps auxe',
    'ps -auxe',
    'ps -eo pid,environ',
    'uniq in out',
    'uniq -c - out',
    'xxd -r in out',
    'jj util exec -- sh',
    'jj config set x y',
    'jj --color always fix',
    'hg bisect -c x',
    'hg bis --command x',
    'hg serve --daemon-postexec x',
    'hg clone --ssh x y z',
    'hg pull -e x',
    'hg merge -t x',
    'gh alias set x y',
    'gh extension install x',
    'gh auth token',
    'gh repo clone x -- -c a=b',
  ])('does not cover %s', (line) => {
    expect(byName(line)).toBe(false);
    expect(covered(line, line)).toBe(true);
  });

  it('answers hostile words at once', () => {
    const start = performance.now();
    const lines = [
      `ps ${'e'.repeat(90_000)}-`,
      `git push ${'-a '.repeat(30_000)}`,
      `git clone ${'a.'.repeat(45_000)}/`,
    ];

    expect(lines.map(byName)).toEqual([true, true, false]);
    expect(performance.now() - start).toBeLessThan(20_000); // a quadratic answer takes longer on any machine
  });
});
