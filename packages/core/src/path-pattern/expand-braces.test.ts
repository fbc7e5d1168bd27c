import { describe, expect, it } from 'vitest';
import { expandBraces } from './expand-braces.ts';

describe('expandBraces', () => {
  it.each([
    ['a', ['a']],
    ['a{b,c}', ['ab', 'ac']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd']],
    ['{a}', ['{a}']],
    ['{a', ['{a']],
    ['a}', ['a}']],
    ['a{b{c,d}', ['a{bc', 'a{bd']],
    ['{a,b}}', ['a}', 'b}']],
    ['{a,{b}', ['{a,{b}']],
    ['\\{a,b}', ['\\{a,b}']],
    ['{a\\,b,c}', ['a\\,b', 'c']],
    ['{,a}', ['', 'a']],
  ])('%s stands for %j', (pattern, expected) => {
    expect(expandBraces(pattern)).toEqual(expected);
  });

  it('gives up beyond 256 alternatives', () => {
    expect(expandBraces('{a,b}'.repeat(8))).toHaveLength(256);
    expect(expandBraces('{a,b}'.repeat(9))).toBeUndefined();
    expect(expandBraces(`{${'a,'.repeat(256)}b}`)).toBeUndefined();
  });

  it.each([
    ['opened braces', '{'.repeat(300_000)],
    ['opened braces and commas', '{'.repeat(150_000) + 'a,'.repeat(150_000)],
    ['nested braces', '{'.repeat(150_000) + '}'.repeat(150_000)],
  ])('answers hostile %s at once', (_, pattern) => {
    expect(expandBraces(pattern)).toEqual([pattern]);
  });

  it.each([
    ['groups', '{a,b}'.repeat(100_000)],
    ['groups within one another', `${'{a,'.repeat(100_000)}${'}'.repeat(100_000)}`],
    ['long alternatives', `{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}${'x'.repeat(1_000_000)}`],
  ])('refuses hostile %s at once', (_, pattern) => {
    expect(expandBraces(pattern)).toBeUndefined();
  });
});
