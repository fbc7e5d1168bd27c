import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { isCovered } from './is-covered.ts';
import { mentions } from './mentions.ts';
import { parseCommandLine } from './parse.ts';

const covered = (pattern: string, line: string): boolean =>
  isCovered(parseCommandLine(line), [parseCommandPattern(pattern)]);
const mentioned = (pattern: string, line: string): string =>
  mentions(parseCommandLine(line), parseCommandPattern(pattern));

describe('parseCommandPattern', () => {
  it.each([
    ['git *', 'git', true],
    ['git *', 'git log -1', true],
    ['git *', 'gitk', false],
    ['git:*', 'git', true],
    ['git:*', 'git log', true],
    ['git:*', 'gitk', false],
    ['git:*', 'git:x', false],
    ['git', 'git', true],
    ['git', 'git log', false],
    ['git push *', 'git push', true],
    ['git push *', 'git push origin', true],
    ['git push *', 'git pushx', false],
    ['git push *', 'git -C x push', false],
    ['npm run test', 'npm run test', true],
    ['npm run test', 'npm  run  "test"', true],
    ['npm run test', 'npm run test:unit', false],
    ['npm run test', 'npm run test -- x', false],
    ['npm run test:*', 'npm run test:unit', true],
    ['npm run test:*', 'npm run test', true],
    ['npm run test:*', 'npm run test -- x', true],
    ['npm run test:*', 'npm run tests', false],
    ['npm run test*', 'npm run tests', true],
    ['npm run test*', 'npm run tests x', false],
    ['npm run test*', 'npm run test && curl x', false],
    ['cat src/*.ts', 'cat src/a/b.ts', true],
    ['cat src/*.ts', 'cat src/a.ts src/b.ts', false],
    ['git log --*', 'git log --oneline', true],
    ['git log --*', 'git log -1', false],
    ['* --version', 'node --version', true],
    ['* --version', 'node x', false],
    ['*', 'anything at all', true],
    ['*', 'a | b && c', true],
    ['*', 'a > file', false],
    ["echo 'a b'", 'echo "a b"', true],
    ["echo '*'", "echo '*'", true],
    ["echo '*'", 'echo x', false],
    ['echo \\*', 'echo "*"', true],
    ["echo '$x'", "echo '$x'", true],
    ["echo 'a, b\u00a0c'", "echo 'a, b\u00a0c'", true],
    ['\\git *', 'git log', true],
    ['echo "a b"', "echo 'a b'", true],
    ['echo "*"', "echo '*'", true],
    ['echo "*"', 'echo x', false],
    ['echo "a"*"c"', 'echo abc', true],
    ['echo "a*"*', 'echo abc', false],
    ['echo "\\$x \\`x\\` \\"\\\\"', "echo '$x `x` \"\\'", true],
    ['echo "\\a"', "echo '\\a'", true],
    ['echo "\\a"', 'echo a', false],
    ['/usr/bin/git *', '/usr/bin/git log', true],
    ['/usr/bin/git *', 'git log', false],
    ['git *', '/usr/bin/git log', false],
    ['env git *', 'env git log', true],
    ['[ -f *', '[ -f x', true],
    ['GIT *', 'git log', false],
  ])('%s as an allow rule for %s: %s', (pattern, line, expected) => {
    expect(covered(pattern, line)).toBe(expected);
  });

  it.each([
    ['curl', 'curl', 'yes'],
    ['curl', 'curl x', 'yes'],
    ['curl', 'ls curl', 'no'],
    ['git push *', 'git push origin', 'yes'],
    ['git push *', 'git -C dir push', 'yes'],
    ['git push *', 'git -c a=b --no-pager push origin', 'yes'],
    ['git push *', 'git log push', 'no'],
    ['git push *', 'git $x', 'unknown'],
    ['git push *', 'git log $x', 'no'],
    ['git push *', 'git "pu$x"', 'unknown'],
    ['git push *', 'git pu*', 'unknown'],
    ['git push *', 'git {pull,push}', 'unknown'],
    ['git push:*', 'git push origin', 'yes'],
    ['git push --force *', 'git push origin --force', 'yes'],
    ['git push --force', 'git push origin --force', 'yes'],
    ['git push --force', 'git push --force origin', 'yes'],
    ['rm -rf *', 'rm a b -rf c', 'yes'],
    ['rm -rf *', 'rm a', 'no'],
    ['rm -rf *', 'rm -fr a', 'yes'],
    ['rm -rf *', 'rm -r a -f', 'yes'],
    ['rm -rf /', 'rm -r -f -v /', 'yes'],
    ['rm -rf *', 'rm -r a', 'no'],
    ['rm -rf *', 'rm -f a', 'no'],
    ['rm -rf *', 'rm -f -- -r', 'no'],
    ['git push -f *', 'git push -uf origin', 'yes'],
    ['git push -f *', 'git push -u feature', 'no'],
    ['git clean -fd *', 'git clean -f -x -d', 'yes'],
    ['find * -delete', 'find . -type d -name let', 'no'],
    ['rm -rf *', 'xargs rm', 'unknown'],
    ['rm *', 'find . -exec rm {} +', 'yes'],
    ['rm *', 'sudo -Z rm x', 'yes'],
    ['sudo *', 'env sudo rm', 'yes'],
    ['/usr/bin/curl *', '/usr//bin/../bin/./curl x', 'yes'],
    ['/usr/bin/curl *', 'curl x', 'yes'],
    ['./run *', './run x', 'yes'],
    ['./run *', 'run x', 'yes'],
    ['python* *', 'python3.12 x', 'yes'],
    ['python* *', '$x', 'yes'],
    ['python3 *', '$x', 'yes'],
    ['make *', '$x', 'unknown'],
    ['rm *', '/usr/bin/ld.so /bin/rm x', 'yes'],
    ['rm *', 'ld-linux-x86-64.so.2 /bin/rm x', 'yes'],
    ['rm *', 'ld -o x rm', 'no'],
    ['rm *', 'ssh-agent rm x', 'yes'],
    ['git push .*', 'git push --force', 'yes'],
    ['git push .*', 'git pull', 'no'],
    ['rm .*', 'rm -rf x', 'yes'],
    ['*', 'ls', 'yes'],
    ['* --force', 'x --force', 'yes'],
    ['bash *', "bash -c 'ls'", 'yes'],
    ['ls *', "bash -c 'bash -c ls'", 'yes'],
    ['npm run test', 'npm run --silent test', 'yes'],
  ])('%s as a deny rule for %s: %s', (pattern, line, expected) => {
    expect(mentioned(pattern, line)).toBe(expected);
  });

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['# git', 'cannot be read'],
    ['git status && git log', 'one rule for each command'],
    ['git status; git log', 'one rule for each command'],
    ['git status\ngit log', 'one rule for each command'],
    ['git log | cat', 'one rule for each command'],
    ['! git log', 'one rule for each command'],
    ['git log &', 'one rule for each command'],
    ['(git log)', 'compound command'],
    ['if a; then b; fi', 'compound command'],
    ['f() { git log; }', 'compound command'],
    ['git log > f', 'redirect'],
    ['git log 2>&1', 'redirect'],
    ['cat <<E\nx\nE', 'redirect'],
    ['A=1 git *', 'sets a variable'],
    ['A=1', 'sets a variable'],
    ['git $x', 'expansion'],
    ['git "$x"', 'expansion'],
    ['git $(curl x)', 'expansion'],
    ['git `curl x`', 'expansion'],
    ['git <(curl x)', 'expansion'],
    ['git {a,b}', 'expansion'],
    ["git 'a", 'cannot be read'],
    ['git "a', 'cannot be read'],
    ['git "a\\', 'cannot be read'],
    ['git "a\\"', 'cannot be read'],
    ['git \\', 'cannot be read'],
    ['git "`curl x`"', 'expansion'],
    [':*', 'cannot be read'],
    ['^rm', 'regular expression'],
    ['git:push', 'colon'],
    ['git:push *', 'colon'],
    ['git\0 *', 'NUL'],
    ['git:', 'colon'],
    ['git: *', 'colon'],
    ['!git', 'negation'],
    ['!git push', 'negation'],
    ['"git *"', 'leave the quotes out'],
    ["'git *' x", 'leave the quotes out'],
    ['git\\ *', 'leave the quotes out'],
    ['[g]it', 'a sign in its program'],
    ['git? *', 'a sign in its program'],
    ['["git"]', 'a sign in its program'],
    ['%git%', 'a sign in its program'],
    ['git push, git pull', 'a list'],
    ['git\\s+push', 'regular expression'],
    ['git push\\b.*', 'regular expression'],
    ['git\u00a0push', 'a blank that is not plain'],
    ['git\u200b push', 'not seen'],
    [`git ${'x'.repeat(3_000)}`, 'longer than'],
  ])('refuses %j and says why', (pattern, why) => {
    expect(() => parseCommandPattern(pattern)).toThrow(ValidationError);
    expect(() => parseCommandPattern(pattern)).toThrow(why);
  });

  it.each([undefined, null, 1])('refuses %j, which is no text, and shows it', (pattern) => {
    expect(() => parseCommandPattern(pattern as never)).toThrow(ValidationError);
    expect(() => parseCommandPattern(pattern as never)).toThrow(`The command pattern '${pattern}' is empty`);
  });

  it('answers a hostile pattern at once', () => {
    const line = `echo ${'a'.repeat(100_000)}`;

    expect(covered(`echo ${'*a'.repeat(50)}b`, line)).toBe(false);
  });
});
