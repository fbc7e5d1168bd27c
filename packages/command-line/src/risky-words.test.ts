import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { isCovered } from './is-covered.ts';
import { parseCommandLine } from './parse.ts';

const covered = (pattern: string, line: string): boolean =>
  isCovered(parseCommandLine(line), [parseCommandPattern(pattern)]);

describe('isCovered, for options by which a program runs another', () => {
  it.each([
    'find . -exec x \\;',
    'find . -execdir x +',
    'find . -delete',
    'less --lesskey-src=f a',
    'less --LESSKEY-content=x a',
    "less '--prompt=a$--lesskey-src=f' a",
    'find . -fprintf f x',
    'tar xf a --to-command=x',
    'tar xf a --checkpoint-act=exec=x',
    'tar -xIx -f a',
    'tar xIf x a',
    'tar --use-compress-program x -xf a',
    'rg --pre x y',
    'rg --pre=x y',
    'sort -o f a',
    'sort -no f a',
    'sort --compress-prog=x a',
    'split --filter=x a',
    'ssh -o ProxyCommand=x h',
    'ssh -oProxyCommand=x h',
    'ssh -4F f h',
    'rsync -e x a b',
    'rsync -ae x a b',
    'fd -x rm',
    'man -P x y',
    'wget --use-askpass=x y',
    'go test -exec x',
    'go build --toolexec=x',
    'npm --script-shell=x test',
    'hg --config a=b log',
    'jj --config a=b log',
    'fdfind -x rm',
    'gfind . -exec x \\;',
    'bsdtar --use-compress-program=x -xf a',
    'gtar xf a --to-command=x',
    'gsort -o f a',
    'shuf -o f a',
    'iconv -o f a',
    'ag --pager=x y',
    'ack --pager=x y',
    'batcat --pager x y',
    'kubectl --kubeconfig=x get pods',
    'kubectl get pods --kubeconfig x',
    'helm template a --post-renderer x',
    "gsed '1e x' f",
    'less +!x f',
    "sed '1e x' f",
    "sed 's/a/b/e' f",
    "sed 's/a/b/w f' f",
    "sed -n 'w f' f",
    "sed -e p -e '1e x' f",
    "sed p f -e '1e x'",
    "sed --expression='1e x' f",
    'sed -f script f',
    "sed 's/a/b/\n1e x' f",
    "sed 'a\\' f",
    "sed '/a/{e x' f",
    "sed 's/[/]/;1e x;s/]/b/' f",
    "sed 'y/a/b/;e x' f",
    "sed 's/a' f",
    "sed 's/a/b' f",
    "sed 's/a\nb/c/' f",
    "sed 's a b ' f",
    "sed 's' f",
    "sed -e'1e x' f",
    "sed -ne'1e x' f",
  ])('the rule for the program alone does not cover %s', (line) => {
    expect(covered(`${line.split(' ')[0]} *`, line)).toBe(false);
    expect(covered('*', line)).toBe(true);
  });

  it.each([
    "find . -name '*.ts' -type f",
    'tar xzf a.tgz',
    'tar -czf a.tgz src',
    'rg -n --hidden x',
    'sort -rn f',
    'ssh host ls',
    'rsync -av a b',
    'go test ./...',
    'npm run test',
    "sed -n '1,20p' f",
    "sed -i 's/a/b/g' f",
    "sed -i.bak -e 's|a|b|' -e '/x/d' f",
    "sed -E 's/(a)[b-d]/\\1/gI; $d' f",
    'sed p',
    'sed -ep f',
    'sed -nep f',
    'sed --expression=p -e p f',
    "sed 's/a\\/b/c/;p' f",
    "sed 'y/ab/ba/' f",
    "sed 's/a/b\\\n/' f",
  ])('the rule for the program covers %s', (line) => {
    expect(covered(`${line.split(' ')[0]} *`, line)).toBe(true);
  });

  it.each([
    ['git -c *', 'git -c a=b log', true],
    ['git -C * status', 'git -C x status', true],
    ['git -C * status', 'git -C x -c status', false],
    ['git submodule foreach *', 'git submodule foreach ls', true],
    ['git config --get *', 'git config --get a', true],
    ['git config --get *', 'git config a b', false],
    ['git *', 'git log --grep ::', true],
    ['git *', 'git log -S std::vector', true],
    ['git *', "git commit -m 'Foo::bar is gone'", true],
    ['git *', 'git commit ext::./x && git fetch ext::./x', false],
    ['git *', 'git -c a=b commit ext::./x', false],
    ['find * -delete', 'find x -delete', true],
    ['find *', 'find x -delete', false],
  ])('%s for %s: %s, where the pattern may spell the option', (pattern, line, expected) => {
    expect(covered(pattern, line)).toBe(expected);
  });

  it.each([
    'cd x && git status',
    'git log; cd x; git status',
    'pushd x | git status',
    'command cd x; git status',
    'cd x; ls; git status',
  ])('the rules for both do not cover git where cd has led: %s', (line) => {
    const rules = ['cd *', 'pushd *', 'command *', 'ls *', 'git *'].map(parseCommandPattern);

    expect(isCovered(parseCommandLine(line), rules)).toBe(false);
    expect(isCovered(parseCommandLine(line), [parseCommandPattern('*')])).toBe(true);
    expect(isCovered(parseCommandLine(line.replaceAll(/git \w+/g, 'ls')), rules)).toBe(true);
  });
});
