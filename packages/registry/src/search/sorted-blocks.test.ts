import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { SortedBlocks } from './sorted-blocks.ts';

describe('SortedBlocks', () => {
  test.prop([fc.array(fc.nat({ max: 200 }), { maxLength: 400, size: 'max' }), fc.nat({ max: 210 })])(
    'has what was added an odd number of times and deleted between, in order, in blocks of at most four',
    (values, start) => {
      const sorted = new SortedBlocks<number>(4);
      const expected = new Set<number>();
      for (const value of values) {
        if (expected.delete(value)) sorted.delete(value);
        else {
          expected.add(value);
          sorted.add(value);
        }
      }
      const inOrder = [...expected].toSorted((one, other) => one - other);

      expect(sorted.blocks.flat()).toEqual(inOrder);
      expect(sorted.size).toBe(inOrder.length);
      expect(sorted.blocks.every(({ length }) => length > 0 && length <= 4)).toBe(true);
      expect([...sorted.from(start)]).toEqual(inOrder.filter((value) => value >= start));
    },
  );

  test.prop([fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'ß', '検'), maxLength: 4 })), fc.string()])(
    'orders texts by their code units',
    (texts, start) => {
      const sorted = new SortedBlocks<string>(3);
      for (const text of texts) sorted.add(text);

      expect([...sorted.from(start)]).toEqual([...texts].sort().filter((text) => text >= start));
    },
  );
});
