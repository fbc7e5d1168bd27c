import { describe, expect, it } from 'vitest';
import { lineChanges } from '../src/rewind/line-changes.ts';

describe('lineChanges', () => {
  it.each<[string, string, number, number]>([
    ['', '', 0, 0],
    ['', 'a\nb', 2, 0],
    ['a\nb\nc\n', '', 0, 3],
    ['a\nb\nc\n', 'a\nc\n', 0, 1],
    ['a\nb', 'a\nb\n', 1, 1],
    ['a\nb\nc\nd\n', 'd\na\nb\nc\n', 1, 1],
    ['x\n'.repeat(5_000), 'y\n'.repeat(5_000), 5_000, 5_000],
  ])('%j to %j: %i come, %i go', (from, to, insertions, deletions) => {
    expect(lineChanges(from, to)).toEqual({ insertions, deletions });
  });
});
