import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { coverage } from './coverage.ts';
import { parseCommandLine } from './parse.ts';

const rules = ['git *', 'cd *', 'ls *', 'npm test', 'cat a'].map(parseCommandPattern);

describe('coverage', () => {
  it('answers that the line is covered', () => {
    expect(coverage(parseCommandLine('git log | ls && npm test'), rules)).toEqual({ covered: true });
  });

  it.each([
    ['git -C sub status', '`-C` may make git run or write something else, and the rule does not spell it', 'git *'],
    ['git log; cd x; git status', '`git status` follows cd, and git obeys the directory it runs in', 'git *'],
    ['npm publish', '`npm publish` matches no rule', undefined],
    ['git log && npm test -- -u', '`npm test -- -u` matches no rule', undefined],
    ['git log > x', 'an output redirect to `x` is not covered by any rule', 'git *'],
    ['git log < "$x"', 'a redirect from `"$x"` is not covered by any rule', 'git *'],
    ['ls | git log *.ts', '`*.ts` is an expansion in front of which no plain word stands', 'git *'],
    ['cat $x', '`$x` is an expansion where the rule has a word', 'cat a'],
    ['ls $((x=1))', '`$((x=1))` is an expansion that may do more than make a word', 'ls *'],
    ['$x log', '`$x` is an expansion, and names a command', undefined],
    ['[ -f x ]', '`[ -f x ]` matches no rule', undefined],
    ['git log <<E\nx\nE', 'a here-document is not covered by any rule', 'git *'],
    ['git log &', '`&` runs a command in the background', 'git *'],
    ['A=1 git log', '`A=1` sets a variable', 'git *'],
    ['A=1', '`A=1` sets a variable', undefined],
    ['git $(x)', '`x` matches no rule', undefined],
    ["git 'x", 'unterminated single quote', 'git *'],
    ['', 'the line runs nothing', undefined],
    [
      `git log > ${'x'.repeat(100)}`,
      `an output redirect to \`${'x'.repeat(80)}...\` is not covered by any rule`,
      'git *',
    ],
  ])('says of %j why it is not: %s', (line, why, near) => {
    const found = coverage(parseCommandLine(line), rules);

    expect(found).toEqual({
      covered: false,
      why,
      ...(near ? { near: rules.find(({ text }) => text === near) } : {}),
    });
  });
});
