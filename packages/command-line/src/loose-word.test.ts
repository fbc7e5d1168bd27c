import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { coverage } from './coverage.ts';
import { isCovered } from './is-covered.ts';
import { parseCommandLine } from './parse.ts';

const programs =
  'ls cat grep echo wc cd npm du printf find export read sort diff head xargs tar git [ test rm mapfile wait go'.split(
    ' ',
  );
const rules = programs.map((name) => parseCommandPattern(`${name} *`));
const covered = (line: string): boolean => isCovered(parseCommandLine(line), rules);

describe('an expansion behind the words of a rule', () => {
  it.each([
    'ls src/*.ts',
    'ls *',
    'grep -rn foo src --include=*.ts',
    'grep "foo$" a',
    'grep foo$ a',
    'grep "a$|b$" f | wc -l',
    'ls ~/.config ~root',
    'echo "exit: $?"',
    'echo $HOME ${HOME} "${x:-a b}" ${f%.ts} ${f##*/} ${x/a/b} ${#x}',
    "grep $'a\\tb' f",
    'cat a{1,2}.txt f{1..3}',
    '[ -d src ] && ls',
    '[ ! -e "$x" ] || ls',
    'test "$a" = "$b" && ls',
    'if [ $? -eq 0 ]; then ls; else cat f; fi',
    'for f in *.ts; do wc -l "$f"; done',
    'ls | while read -r line; do echo "$line"; done',
    'ls | while IFS= read -r line; do echo "$line"; done',
    'IFS=, read -r a b < f; ls',
    '(cd web && npm test)',
    '{ ls; cat f; } | sort',
    'ls $(git rev-parse --show-toplevel)/src',
    'echo "a $(git log "./$(cat f)")"',
    'diff <(sort a) <(sort b)',
    'sort < f',
    'time npm test',
    'find . -name *.ts',
    'find src/* -type f',
    'tar czf x.tgz src/*',
    'go test ./*',
    'printf "%s\\n" $x',
    'xargs ls *',
    'find . -exec grep -l foo {} +',
    'find . -exec grep foo {} \\; -exec cat a{} \\; -name x',
    'find . -exec git log ./{} \\;',
    'find . -exec grep "a$x" {} +',
    'find "$HOME/src" "$PWD"',
    'echo $((1 + x * 2))',
    // The line gives them no value: it is what the host's environment says, or nothing.
    'find $DIR "$HOME"/x ${y}/z -name "*.ts"',
    'find . $x',
    'find "$x" -name a',
    'tar cf a "$x" src/$y',
    'npm run $x',
    'sort $FILE | head -n "$m"',
    'ls `ls`',
    'echo "`ls -d a`" `ls $x`',
    'grep -c a <<< "$x"',
    'grep a <<< "$(ls)"',
  ])('is covered in %s', (line) => {
    expect(coverage(parseCommandLine(line), rules)).toEqual({ covered: true });
  });

  it.each([
    // It may become an option by which the program runs something.
    'tar cf *',
    'tar x*',
    'for x in -I; do tar cf a src/$x; done',
    'for x in -I; do tar cf a "$x"; done',
    'for x in -delete; do find . $x; done',
    'for x in -delete; do find "$x" -name a; done',
    'read x; find . $x',
    'read -rx; find . $x',
    'read -r -p y x; find . "$x"',
    'mapfile x; find . $x',
    'printf -vx %s -delete; find . $x',
    'printf -v x\\y %s -delete; find . $xy',
    'printf -v x"y" %s -delete; find . $xy',
    "printf -v x''y %s -delete; find . $xy",
    'printf -v x\\\ny %s -delete; find . $xy',
    "printf -v $'xy' %s -delete; find . $xy",
    "read x''y; find . $xy",
    'echo $((x=1)); find . $x',
    'find . $x-delete',
    'find . "-$x"',
    'find . $x*',
    'cd a; find $PWD',
    'find $OLDPWD',
    'find . $_',
    'find . $1 "$@"',
    'find . $REPLY',
    'find . ${x:--delete}',
    'find . `ls`',
    'tar $x cf a',
    'find . -name *',
    'find . *exec rm',
    'go test *.go',
    'git log *',
    'for x in "-I rm"; do tar cf a b$x; done',
    'find . -exec git log {} \\;',
    'find . -exec curl {} \\;',
    'find . -exec curl {} + -exec cat {} +',
    'find . -exec cat {} + -delete',
    'find . -execdir cat {} +',
    'find . -exec sh -c {} \\;',
    'find . -exec {} \\;',
    'find . -exec $x \\;',
    'find . -exec grep "$x" -exec rm a \\;',
    'find . -exec grep a$x -exec rm a \\;',
    'find . -exec echo "{$x" + -exec rm a \\;',
    'find . -exec cat',
    'cd x; find . -exec git status \\;',
    // The shell does more with it than make a word.
    'ls ${x:=y}',
    'ls ${!x}',
    'ls ${x@P}',
    'ls ${x:0:1}',
    'ls ${x[0]}',
    'ls ${x:?y}',
    'ls $((x=1))',
    'ls $((x++))',
    'ls $((a[x]))',
    'read -r x < f; ls $((x))',
    'ls `curl x`',
    'ls `ls \\`ls\\``',
    'ls "`ls "a"`"',
    'ls <<< `curl x`',
    'ls $(curl x)',
    'ls "$(ls "$(curl x)")"',
    'ls <(curl x)',
    'ls >(cat)',
    'ls @(a|b)',
    'ls $"x"',
    'ls $(ls $(ls $(ls $(ls))))',
    // A builtin may take it for an operator, or a name.
    '[ $x ] && ls',
    '[ * ] && ls',
    '[ "$x" a ] && ls',
    '[ "$x" = a -o "$y" ] && ls',
    'for x in -v; do for y in "a[1]"; do [ "$x" "$y" ]; done; done',
    'printf $x',
    'read $x < f',
    'wait $x',
    'mapfile $x < f',
    // Other commands obey a variable.
    'printf -v PATH /x; ls',
    'printf -vPATH /x; ls',
    'read PATH < f; ls',
    'IFS=/ ls',
    'IFS=$(curl x) read a; ls',
    'IFS=/ PATH=. read a; ls',
    'read -aPATH < f; ls',
    'mapfile -t PATH < f; ls',
    "export 'PATH=/x'; ls",
    'export PATH=/x; ls',
    'for PATH in /x; do ls; done',
    'for LD_PRELOAD in ./x; do ls; done',
    // Not a word of the rule's rest.
    '$x',
    '~/ls',
    'l* a',
    '{ls,cat} a',
    'ls > f',
    'ls < "$x"',
    'ls < /dev/tcp/x/1',
    'ls & cat f',
    'x=1; ls $x',
    'case $x in a) ls;; esac',
    '[[ -d $x ]] && ls',
    '((x=1)); ls',
    'f() { ls; }; f',
    '[ -d x ]; curl x',
  ])('is not covered in %s', (line) => {
    expect(covered(line)).toBe(false);
  });

  it('stands for no word that a rule spells', () => {
    const one = (pattern: string, line: string) => isCovered(parseCommandLine(line), [parseCommandPattern(pattern)]);

    expect([one('ls -l *', 'ls -l *'), one('ls -l *', 'ls $x a'), one('ls a', 'ls *'), one('ls a*', 'ls a*')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('does not let a program from the directory that cd has led to pass', () => {
    const own = [...rules, parseCommandPattern('./run *'), parseCommandPattern('/bin/run *')];
    const lines = [
      './run a',
      'cd x && ./run a',
      '/bin/run a',
      'cd x && /bin/run',
      'for d in a b; do ./run; cd b; done',
    ];

    expect(lines.map((line) => isCovered(parseCommandLine(line), own))).toEqual([true, false, true, true, false]);
  });
});
