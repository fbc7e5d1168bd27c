import { describe, expect, it } from 'vitest';
import { joinPath, pathFrom, splitPath } from './workspace-path.ts';

describe('paths of a workspace', () => {
  it.each([
    ['/a/b', 'c', '/a/b/c'],
    ['/a/b', '../c', '/a/c'],
    ['/a', '../../..', '/'],
    ['/a', './b//c/.', '/a/b/c'],
    ['/a', '/b', '/b'],
  ])('%s and %s are %s', (base, path, whole) => {
    expect(joinPath(base, path)).toBe(whole);
  });

  it.each([
    ['/a', '/a', '.'],
    ['/a', '/a/b', 'b'],
    ['/a', '/ab', '/ab'],
    ['/', '/a', 'a'],
  ])('from %s, %s is %s', (base, path, shown) => {
    expect(pathFrom(base, path)).toBe(shown);
  });

  it('have a directory and a name', () => {
    expect([splitPath('/a'), splitPath('/a/b')]).toEqual([
      { directory: '/', name: 'a' },
      { directory: '/a', name: 'b' },
    ]);
  });
});
