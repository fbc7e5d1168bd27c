import { describe, expect, it } from 'vitest';
import { segmentPattern } from './segment-pattern.ts';

describe('segmentPattern', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['*.ts', 'a.ts', true],
    ['*.ts', '.ts', true],
    ['*.ts', 'a.tsx', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*', '', true],
    ['?', '😀', true],
    ['?', '', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]x', ']x', true],
    ['[a', '[a', true],
    ['[a-]', '-', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['[\\]]', ']', true],
    ['a\\', 'a\\', true],
  ])('%s against %s: %s', (pattern, name, expected) => {
    expect(segmentPattern(pattern)(name)).toBe(expected);
  });

  it('answers a hostile pattern at once', () => {
    expect(segmentPattern('*a'.repeat(200))('a'.repeat(199))).toBe(false);
  });
});
