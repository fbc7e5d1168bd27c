import { commandLineParser } from '@x/command-line';
import { describe, expect, it } from 'vitest';
import { pathWords, protectedWord } from './protected-words.ts';

const parse = await commandLineParser();
const named = (line: string, home?: string) =>
  protectedWord(parse(line), [], {
    cwd: '/work',
    ownDirectories: ['/own/keys'],
    ...(home === undefined ? {} : { home }),
  });

describe('protectedWord', () => {
  it.each([
    'git config user.name x',
    'git -C d config core.pager x',
    'git -c a=b config core.pager x',
    'git config $x b',
    'git config --add a b',
    'git config -e',
    '/usr/bin/git config --unset a',
  ])('takes %s for a change of git’s configuration', (line) => {
    expect(named(line)).toBe('.git/config');
  });

  it.each([
    'git config',
    'git config a',
    'git config list',
    'git config get a b',
    'git config --get a b',
    'git config --list',
    'git log config x',
    'git $x config a b',
    'echo git config a b',
  ])('takes %s for none', (line) => {
    expect(named(line)).toBe(undefined);
  });

  it.each([
    ['cat ~/.ssh/id', undefined],
    ['cat ~/.ssh/id', '/home/me'],
    ['cat ~/.s*h/id', undefined],
    ['cat ~/.s*h/id', '/home/me'],
    ['cat /proc/**/environ', undefined],
    ['cat /own/k*', undefined],
    ['cat --file=/own/keys/a', undefined],
    ['cat /dev/fd/../environ', undefined],
  ])('finds what is protected in %s, at home %s', (line, home) => {
    expect(named(line, home)).toEqual(expect.any(String));
  });

  it('has every word of a line resolved, and takes one of too many words for protected', () => {
    const line = (words: number) => parse(`cat ${Array.from({ length: words }, (_, at) => `f${at}`).join(' ')} link`);
    const start = { cwd: '/work', ownDirectories: [] };

    expect([64, 4_095].map((words) => pathWords(line(words)).at(-1))).toEqual(['link', 'link']);
    expect(protectedWord(line(4_095), [], start)).toBe(undefined);
    expect(protectedWord(line(4_096), [], start)).toBe('link');
  });

  it.each(['cat ~/a', 'cat ~/a*', 'ls *', 'cat own/keys/a', 'cat a=b'])('finds nothing in %s', (line) => {
    expect([named(line), named(line, '/home/me')]).toEqual([undefined, undefined]);
  });
});
