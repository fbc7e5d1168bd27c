import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { EntryLists, keyOf, MOST_KEYS, placeOf, valueOf } from './entry-lists.ts';

describe('EntryLists', () => {
  const list = fc.constantFrom(0, 1, 1_023, 1_024, 5_000);
  const key = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(MOST_KEYS - 2, MOST_KEYS - 1));
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ list, key, value: fc.integer({ min: 1, max: 1_023 }) }) },
    { weight: 4, arbitrary: fc.record({ list, key, isDeleted: fc.constant(true) }) },
    { weight: 1, arbitrary: fc.record({ list, isCleared: fc.constant(true) }) },
  );

  test.prop([fc.array(step, { maxLength: 300, size: 'max' })], { numRuns: 200 })(
    'has of each list the keys that were raised since they were deleted, in rising order, with the highest of their values',
    (steps) => {
      const lists = new EntryLists();
      const kept = new Map<number, Map<number, number>>();
      for (const one of steps) {
        const of = kept.get(one.list) ?? new Map<number, number>();
        kept.set(one.list, of);
        if ('value' in one) {
          lists.raise(one.list, one.key, one.value);
          of.set(one.key, Math.max(one.value, of.get(one.key) ?? 0));
        } else if ('isDeleted' in one) {
          lists.delete(one.list, one.key);
          of.delete(one.key);
        } else {
          lists.clear(one.list);
          of.clear();
        }
      }
      for (const [number, of] of kept) {
        expect(lists.lengthOf(number)).toBe(of.size);
        if (of.size === 0) continue;
        const entries = Array.from(lists.entriesOf(number), (entry) => [keyOf(entry), valueOf(entry)]);
        expect(entries).toEqual([...of].toSorted(([one], [other]) => one - other));
      }
      expect(lists.lengthOf(1_000_000)).toBe(0);
    },
  );
});

describe('placeOf', () => {
  test.prop([fc.uniqueArray(fc.integer({ min: 0, max: 40 })), fc.integer({ min: 0, max: 41 })])(
    'is where the key stands, or would stand',
    (keys, key) => {
      const sorted = keys.toSorted((one, other) => one - other);
      const entries = Int32Array.from(sorted, (one) => one * 1_024 + 7);

      expect(placeOf(key, entries, 0, entries.length)).toBe(sorted.filter((one) => one < key).length);
    },
  );
});
