import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { keyOf, valueOf } from './entry-lists.ts';
import { blockOf, Postings } from './postings.ts';

const slotsOf = (postings: Postings, term: number) => Array.from(postings.of(term).postings, keyOf);
/** The highest impact of each block, from the postings themselves. */
const highestOf = (entries: Int32Array) => {
  const highest = new Map<number, number>();
  for (const posting of entries) {
    const block = blockOf(keyOf(posting));
    highest.set(block, Math.max(highest.get(block) ?? 0, valueOf(posting)));
  }
  return [...highest];
};

describe('Postings', () => {
  const change = fc.record({
    term: fc.integer({ min: 0, max: 3 }),
    slot: fc.integer({ min: 0, max: 30 }),
    impact: fc.constantFrom(0, 0.1, 0.2, 0.9, 1),
  });

  test.prop([fc.array(change, { maxLength: 300, size: 'max' })], { numRuns: 200 })(
    'has of each term the slots that were added and not removed, in rising order, with their impacts',
    (changes) => {
      const postings = new Postings();
      const kept = new Map<string, (typeof changes)[number]>();
      for (const one of changes) {
        const key = `${one.term}:${one.slot}`;
        if (kept.has(key)) postings.remove(one.term, one.slot);
        else postings.add(one.term, one.slot, one.impact);
        if (!kept.delete(key)) kept.set(key, one);
      }
      for (const term of [0, 1, 2, 3]) {
        const of = [...kept.values()].filter((one) => one.term === term).toSorted((a, b) => a.slot - b.slot);

        expect(postings.countOf(term)).toBe(of.length);
        if (of.length === 0) continue;
        expect(slotsOf(postings, term)).toEqual(of.map(({ slot }) => slot));
        expect(Array.from(postings.of(term).postings, valueOf)).toEqual(
          of.map(({ impact }) => Math.max(1, Math.round(1_023 * impact))),
        );
      }
    },
  );

  const many = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_500 }), fc.constantFrom(0.1, 0.2, 0.9)), {
    minLength: 900,
    maxLength: 2_500,
    size: 'max',
  });

  test.prop([many], { numRuns: 40, endOnFailure: true })(
    'has of a frequent term the highest impact in each block, whatever was added and removed',
    (changes) => {
      const postings = new Postings();
      const kept = new Set<number>();
      for (const [index, [slot, impact]] of changes.entries()) {
        if (kept.has(slot)) postings.remove(0, slot);
        else postings.add(0, slot, impact);
        if (!kept.delete(slot)) kept.add(slot);
        if (index % 100 !== 0 || kept.size === 0) continue;
        const { postings: entries, bounds } = postings.of(0);

        if (kept.size >= 512) expect(bounds).toBeDefined();
        if (kept.size < 256) expect(bounds).toBeUndefined();
        if (bounds) {
          expect(Array.from(bounds, (bound) => [keyOf(bound), valueOf(bound)])).toEqual(highestOf(entries));
        }
      }
    },
  );

  it('keeps lists that are longer than a segment, and ignores the removal of what is not there', () => {
    const postings = new Postings();
    for (let slot = 0; slot < 70_000; slot++) postings.add(7, slot, 1);
    for (let slot = 0; slot < 69_998; slot++) postings.remove(7, slot);

    postings.remove(7, 5);
    postings.remove(8, 5);

    expect(slotsOf(postings, 7)).toEqual([69_998, 69_999]);
  });
});
