import { expandBraces } from '@x/core/path-pattern';
import { describe, expect, it } from 'vitest';
import { fileFilter, globPattern } from './glob-pattern.ts';

describe('globPattern', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['**', 'src/a.ts', true],
    ['**/a/**/*.ts', 'x/a/y/z/b.ts', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{a,b{c,d}}.ts', 'bd.ts', true],
    ['*', '.env', false],
    ['**/*', '.github/a.yml', false],
    ['.*', '.env', true],
    ['**/.github/**', 'x/.github/w/a.yml', true],
    ['./*.ts', 'a.ts', true],
    ['{a}', '{a}', true],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(globPattern(pattern)?.matches(path)).toBe(expected);
  });

  it.each([
    ['src/lib/*.ts', 'src/lib'],
    ['/abs/*.ts', '/abs'],
    ['/*.ts', '/'],
    ['../up/**', '../up'],
    ['a.ts', ''],
    ['src/a.ts', 'src'],
    ['s{a,b}/x/*.ts', ''],
  ])('the search for %s starts in %j', (pattern, base) => {
    expect(globPattern(pattern)?.base).toBe(base);
  });

  it('rules out directories that hold no match', () => {
    const pattern = globPattern('*/b/**/*.ts');

    expect(['a', 'a/b', 'a/b/c', 'a/c', '.a'].map((each) => pattern?.mayHold(each))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('fileFilter', () => {
  it('holds a pattern without a slash against names at any depth, dot files too', () => {
    const filter = fileFilter('*.{ts,js}')!;

    expect(['a.ts', 'src/b.js', '.x/.c.ts', 'a.md'].map(filter)).toEqual([true, true, true, false]);
  });

  it('holds one with a slash against the whole path', () => {
    expect(['src/a.ts', 'x/src/a.ts'].map(fileFilter('src/*.ts')!)).toEqual([true, false]);
  });
});

describe('expandBraces', () => {
  it('refuses a bomb', () => {
    expect(expandBraces('{a,b}'.repeat(30))).toBeUndefined();
    expect(fileFilter('{a,b}'.repeat(30))).toBeUndefined();
  });
});
