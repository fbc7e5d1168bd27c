import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { blockOf } from './postings.ts';
import { Ranking, type WantedTerm } from './ranking.ts';

type Impacts = ReadonlyMap<number, number>;

const entriesOf = (values: Impacts) =>
  Int32Array.from(
    [...values].toSorted(([one], [other]) => one - other),
    ([key, value]) => key * 1_024 + value,
  );
const wanted = (impacts: Impacts, factor: number, isFrequent: boolean): WantedTerm => {
  const highest = new Map<number, number>();
  for (const [slot, impact] of impacts) {
    highest.set(blockOf(slot), Math.max(impact, highest.get(blockOf(slot)) ?? 0));
  }
  return { postings: entriesOf(impacts), bounds: isFrequent ? entriesOf(highest) : undefined, factor };
};

const SLOTS = 1_200;
/** Few impacts, so that many scores are equal; in clusters, as tools of one service are. */
const impacts = fc
  .record({
    slots: fc.uniqueArray(fc.integer({ min: 0, max: SLOTS - 1 }), { minLength: 1, maxLength: 120, size: 'max' }),
    spread: fc.constantFrom(1, 3, 40),
    impacts: fc.array(fc.constantFrom(1, 7, 100, 1_023), { minLength: 1, maxLength: 5 }),
  })
  .map(({ slots, spread, impacts: some }): Impacts => {
    const of = (slot: number) => Math.floor(slot / spread) + (slot % 2) * (SLOTS >>> 1);
    return new Map(slots.map((slot, index) => [of(slot) % SLOTS, some[index % some.length]!]));
  });
const term = fc.record({ impacts, factor: fc.constantFrom(1, 3, 900, 11_000), isFrequent: fc.boolean() });

describe('Ranking', () => {
  const ranking = new Ranking();

  test.prop(
    [
      fc.array(term, { maxLength: 12, size: 'max' }),
      fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(100, SLOTS)),
      fc.constantFrom(undefined, 2, 3, 50, SLOTS),
      fc.constantFrom(1, 7, SLOTS - 1),
    ],
    { numRuns: 500 },
  )('finds the slots with the highest sums, at equal ones those with the lowest place', (terms, limit, nth, stride) => {
    const placeOf = (slot: number) => (slot * stride) % SLOTS; // another order unless it is 1
    const isWanted = nth === undefined ? undefined : (slot: number) => slot % nth === 0;
    const scores = new Map<number, number>();
    for (const { impacts: of, factor } of terms) {
      for (const [slot, impact] of of) scores.set(slot, (scores.get(slot) ?? 0) + factor * impact);
    }
    const expected = [...scores]
      .filter(([slot]) => isWanted === undefined || isWanted(slot))
      .toSorted(([one, high], [other, low]) => low - high || placeOf(one) - placeOf(other))
      .slice(0, limit)
      .map(([slot]) => slot);

    const found = ranking.rank(
      terms.map(({ impacts: of, factor, isFrequent }) => wanted(of, factor, isFrequent)),
      SLOTS,
      {
        limit,
        isWanted,
        placeOf,
        firstPlaceOf: (block) => Math.min(...Array.from({ length: 16 }, (_, index) => placeOf(16 * block + index))),
      },
    );

    expect(found).toEqual(expected);
  });

  it('looks up no frequent term in a block that cannot have one of the best', () => {
    const rare = wanted(new Map([[5, 1_000]]), 100, false);
    const frequent = wanted(new Map(Array.from({ length: SLOTS }, (_, slot) => [slot, 10])), 1, true);
    const asked = new Set<number>();
    const options = {
      limit: 1,
      isWanted: (slot: number) => asked.add(blockOf(slot)) !== undefined,
      placeOf: (slot: number) => slot,
      firstPlaceOf: (block: number) => 16 * block,
    };

    expect(ranking.rank([rare, frequent], SLOTS, options)).toEqual([5]);
    expect([...asked]).toEqual([0]);

    asked.clear();
    expect(ranking.rank([frequent], SLOTS, options)).toEqual([0]); // all are equal: the first place decides
    expect(asked.size).toBeLessThan(20);
  });
});
