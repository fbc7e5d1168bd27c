import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { SortedTerms } from './sorted-terms.ts';

describe('SortedTerms', () => {
  const term = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '検'), minLength: 1, maxLength: 2 });

  test.prop([
    fc.array(fc.tuple(term, fc.boolean()), { maxLength: 200, size: 'max' }),
    fc.oneof(term, fc.constant('')),
    fc.integer({ min: 1, max: 5 }),
  ])('has what was added and not deleted in order, however its blocks are cut', (changes, start, most) => {
    const terms: string[] = [];
    const sorted = new SortedTerms((id) => terms[id]!, most);
    const kept = new Map<string, number>();
    for (const [one, isAdded] of changes) {
      const id = kept.get(one);
      if (isAdded && id === undefined) {
        kept.set(one, terms.push(one) - 1);
        sorted.add(terms.length - 1);
      } else if (!isAdded && id !== undefined) {
        sorted.delete(id);
        kept.delete(one);
      }
    }
    const expected = [...kept.keys()].filter((one) => one.startsWith(start)).toSorted((a, b) => (a < b ? -1 : 1));

    expect(sorted.beginningWith(start).map((id) => terms[id])).toEqual(expected);
  });
});
