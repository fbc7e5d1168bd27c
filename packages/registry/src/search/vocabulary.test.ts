import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { Vocabulary } from './vocabulary.ts';

describe('Vocabulary', () => {
  const term = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '検'), minLength: 1, maxLength: 4 });

  test.prop([fc.array(fc.tuple(term, fc.boolean()), { maxLength: 200, size: 'max' }), term])(
    'knows the terms that were added and not deleted, by number and by their start',
    (changes, start) => {
      const vocabulary = new Vocabulary();
      const terms = new Set<string>();
      for (const [one, isAdded] of changes) {
        const id = vocabulary.idOf(one);
        if (isAdded) {
          vocabulary.add(one);
          terms.add(one);
        } else if (id !== undefined) {
          vocabulary.delete(id);
          terms.delete(one);
        }
      }

      const found = vocabulary.beginningWith(start).map((id) => vocabulary.termOf(id));
      const expected = [...terms]
        .filter((one) => one.startsWith(start))
        .toSorted((one, other) => (one < other ? -1 : 1));
      expect(found).toEqual(expected);
      expect([...terms].map((one) => vocabulary.termOf(vocabulary.idOf(one) ?? -1))).toEqual([...terms]);
    },
  );
});
