import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { impactOf, Postings, slotOf } from './postings.ts';

const slotsOf = (postings: Postings, term: number) =>
  postings.listsOf(term).flatMap(({ pool, start, end }) => Array.from(pool.subarray(start, end), slotOf));

describe('Postings', () => {
  const change = fc.record({
    term: fc.integer({ min: 0, max: 3 }),
    slot: fc.integer({ min: 0, max: 30 }),
    impact: fc.constantFrom(0, 0.1, 0.2, 0.9, 1),
  });

  test.prop([fc.array(change, { maxLength: 300, size: 'max' })], { numRuns: 200 })(
    'has of each term the slots that were added and not removed, in rising order within each band',
    (changes) => {
      const postings = new Postings();
      const kept = new Map<string, (typeof changes)[number]>();
      for (const one of changes) {
        const key = `${one.term}:${one.slot}`;
        const before = kept.get(key);
        if (before) postings.remove(one.term, one.slot, before.impact);
        else postings.add(one.term, one.slot, one.impact);
        if (before) kept.delete(key);
        else kept.set(key, one);
      }
      for (const term of [0, 1, 2, 3]) {
        const of = [...kept.values()].filter((one) => one.term === term);
        const lists = postings.listsOf(term).map(({ pool, start, end, highest }) => ({
          slots: Array.from(pool.subarray(start, end), slotOf),
          isBelow: pool.subarray(start, end).every((posting) => impactOf(posting) <= highest),
        }));

        expect(lists.every(({ isBelow }) => isBelow)).toBe(true);
        expect(lists.map(({ slots }) => slots)).toEqual(lists.map(({ slots }) => slots.toSorted((a, b) => a - b)));
        expect(slotsOf(postings, term).toSorted((a, b) => a - b)).toEqual(
          of.map(({ slot }) => slot).toSorted((a, b) => a - b),
        );
        expect(postings.countOf(term)).toBe(of.length);
      }
    },
  );

  it('keeps lists that are longer than a segment, and ignores the removal of what is not there', () => {
    const postings = new Postings();
    for (let slot = 0; slot < 70_000; slot++) postings.add(7, slot, 1);
    for (let slot = 0; slot < 69_998; slot++) postings.remove(7, slot, 1);

    postings.remove(7, 5, 1);
    postings.remove(8, 5, 1);

    expect(slotsOf(postings, 7)).toEqual([69_998, 69_999]);
  });
});
