import { describe, expect, it } from 'vitest';
import { parseCommandPattern } from './command-pattern.ts';
import { isCovered } from './is-covered.ts';
import { maxCommandLineBytes } from './limits.ts';
import { mentions } from './mentions.ts';
import { parseCommandLine } from './parse.ts';

const any = parseCommandPattern('*');
const make = parseCommandPattern('make *');

describe('parseCommandLine', () => {
  it('gives the words of every command and what runs it', () => {
    const { commands, simple } = parseCommandLine("git log 'a b' | env A=1 sort -n");

    expect(simple).toBe(true);
    expect(commands).toEqual([
      { words: ['git', 'log', 'a b'] },
      { words: ['env', 'A=1', 'sort', '-n'] },
      { words: ['sort', '-n'], via: 'env' },
    ]);
  });

  it('has no text for a word that is an expansion', () => {
    const { commands, own } = parseCommandLine('git "$x" a*');

    expect(own).toMatchObject([
      { words: ['git', { text: '"$x"', becomes: 'one' }, { starts: 'a', becomes: 'alike' }] },
    ]);
    expect(commands).toEqual([{ words: ['git', undefined, undefined] }]);
  });

  it('says why a line is unknown, each reason once', () => {
    expect(parseCommandLine('$x; $y').unknown).toEqual(['the name of a command is an expansion']);
  });

  it('says what could not be read', () => {
    expect(parseCommandLine("git 'x").error).toBe('unterminated single quote');
    expect(parseCommandLine('f() '.repeat(15_000)).error).toMatch(/^The line is not read: it is nested too deeply$/);
  });

  it.each([
    ['a line of the length that is read', 'a'.repeat(maxCommandLineBytes), false],
    ['a longer line', 'a'.repeat(maxCommandLineBytes + 1), true],
    ['a line of fewer characters and more bytes', 'é'.repeat(maxCommandLineBytes / 2 + 1), true],
    ['20,000 substitutions within one another', `${'$('.repeat(20_000)}make${')'.repeat(20_000)}`, true],
    ['20,000 groups', `${'{ '.repeat(20_000)}make${'; }'.repeat(20_000)}`, true],
    ['20,000 subshells', `${'('.repeat(20_000)}make${')'.repeat(20_000)}`, true],
    ['300 substitutions within one another', `${'$('.repeat(300)}make${')'.repeat(300)}`, true],
    ['300 expansions within one another', `echo ${'${x:-'.repeat(300)}$(make)${'}'.repeat(300)}`, true],
    ['300 quoted substitutions', `echo ${'"$(echo '.repeat(300)}$(make)${')"'.repeat(300)}`, true],
    ['300 numbers within one another', `echo ${'$((1+'.repeat(300)}$(make)${'))'.repeat(300)}`, true],
    ['10,000 wrappers', `${'env '.repeat(10_000)}make`, true],
    ['15,000 functions within one another', `${'f() '.repeat(15_000)}make`, true],
    ['80 groups within one another', `${'{ '.repeat(80)}make${'; }'.repeat(80)}`, true],
    ['2,000 texts beside one another', 'eval a;'.repeat(2_000), false],
    ['2,001 texts beside one another', 'eval a;'.repeat(2_001), true],
    ['10,000 texts for shells', `${'eval '.repeat(10_000)}make`, true],
  ])('takes what is over the limits to run everything: %s', (_what, text, isOver) => {
    const line = parseCommandLine(text);

    expect(line.overLimit).toBe(isOver);
    expect(mentions(line, make)).toBe(isOver ? 'yes' : 'no');
    expect(isCovered(line, [any])).toBe(!isOver);
  });

  it.each([
    ['words', 'a '.repeat(50_000)],
    ['commands', 'a;'.repeat(50_000)],
    ['substitutions', '$(a) '.repeat(20_000)],
    ['backticks', '`'.repeat(100_000)],
    ['open quotes', '"$('.repeat(30_000)],
    ['open brackets', '['.repeat(100_000)],
    ['here-documents', 'cat <<E '.repeat(12_000)],
    ['shells', `env -x ${'sh '.repeat(33_000)}`],
    ['sed commands', `sed '${'s/a/b/;'.repeat(14_000)}'`],
    ['files of expansions', 'cat <(a) "$x" *.ts {a,b} '.repeat(4_000)],
    ['braces', `cat ${'{a,b}'.repeat(20_000)}`],
    ['actions of find', `find ${'-exec a {} + '.repeat(7_000)}`],
    ['loops', 'for a in b; do cat "$a"; done;'.repeat(3_300)],
    ['possible programs', `env -x ${'make '.repeat(20_000)}`],
  ])('reads 100,000 characters of %s without a quadratic wait', (_what, text) => {
    const start = performance.now();
    const line = parseCommandLine(text);
    isCovered(line, [any]);
    mentions(line, parseCommandPattern('make -j -k *'));
    mentions(line, parseCommandPattern('*make* * x *'));

    // Generous for a busy machine: a quadratic answer takes minutes.
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  it('finds the last of many commands', () => {
    expect(mentions(parseCommandLine(`${'git status; '.repeat(5_000)}make x`), make)).toBe('yes');
  });
});

describe('isCovered', () => {
  it('needs a rule for every command', () => {
    const line = parseCommandLine('git log | sort && ls');
    const rules = ['git *', 'sort *', 'ls'].map(parseCommandPattern);

    expect(isCovered(line, rules)).toBe(true);
    expect(isCovered(line, rules.slice(1))).toBe(false);
    expect(isCovered(line, [])).toBe(false);
  });

  it('never covers a line that runs nothing', () => {
    expect(['', ' ', '# x', '\n'].some((line) => isCovered(parseCommandLine(line), [any]))).toBe(false);
  });

  it('never covers a program that is not known, or an expansion in place of a word of the rule', () => {
    const rules = ['*', 'git *', 'git log x *'].map(parseCommandPattern);

    expect(['$x', '"$x" log', 'g* log', '~/git log'].map((line) => isCovered(parseCommandLine(line), rules))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(isCovered(parseCommandLine('npm "$x"'), [parseCommandPattern('npm run *')])).toBe(false);
    expect(isCovered(parseCommandLine('npm run "a$x"'), [parseCommandPattern('npm run *')])).toBe(true);
  });

  it('covers what a wrapper runs by a rule for the wrapper only', () => {
    const line = parseCommandLine('timeout 5 git log');

    expect(isCovered(line, [parseCommandPattern('git *')])).toBe(false);
    expect(isCovered(line, [parseCommandPattern('timeout 5 git *')])).toBe(true);
  });
});
