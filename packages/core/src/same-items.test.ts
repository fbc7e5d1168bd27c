import { expect, it } from 'vitest';
import { hasSameItems } from './same-items.ts';

it.each<[readonly unknown[], readonly unknown[], boolean]>([
  [[], [], true],
  [[1, 'a'], [1, 'a'], true],
  [[1, 'a'], ['a', 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [[{}], [{}], false],
])('tells whether %j has the very items of %j', (one, other, isSame) => {
  expect(hasSameItems(one, other)).toBe(isSame);
});
