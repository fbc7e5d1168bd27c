import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25-index.ts';
import type { Searchable } from './weigh-terms.ts';

const indexOf = (...descriptions: readonly string[]) => {
  const index = new Bm25Index<Searchable>();
  for (const [place, description] of descriptions.entries()) index.add({ metadata: { name: '', description }, place });
  return index;
};
const numbered = (count: number, word = 'filler') =>
  Array.from({ length: count }, (_, at) => `${word}${at}q`).join(' ');
const places = (found: readonly Searchable[]) => found.map(({ place }) => place);

/** Words of these lengths that no text has, another one at each call. */
function unknownWords() {
  let seed = 1;
  const letter = () => 'abcdefghijklmnop'[(seed = (seed * 48_271) % 2_147_483_647) % 16]!; // there are 16
  const word = (length: number) => Array.from({ length }, letter).join('');
  return (length: number, characters: number) =>
    Array.from({ length: Math.floor(characters / (length + 1)) }, () => word(length)).join(' ');
}

describe('a long query', () => {
  it('counts with its first 64 distinct words', () => {
    const index = indexOf('zebra');

    expect(places(index.search(`${numbered(63)} ${numbered(63)} zebra`))).toEqual([0]);
    expect(places(index.search(`${numbered(64)} zebra`))).toEqual([]);
    expect(places(index.search(`zebra ${numbered(10_000)}`))).toEqual([0]);
    expect(
      places(
        indexOf('買票').search(
          `${Array.from({ length: 70 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')}買票`,
        ),
      ),
    ).toEqual([]);
  });

  it('has its first 8 unknown words looked for in another spelling, known ones aside, the same each time', () => {
    const index = indexOf('zebra', 'known');
    const asked = (unknown: number) => new Set(places(index.search(`known ${numbered(unknown)} zebar`)));

    for (let time = 0; time < 2; time++) {
      expect(asked(7)).toEqual(new Set([0, 1]));
      expect(asked(8)).toEqual(new Set([1]));
    }
    expect(places(index.search('zebar'))).toEqual([0]);
    expect(asked(8)).toEqual(new Set([1]));
  });

  it('has words of 24 letters looked for in another spelling, longer ones not', () => {
    const word = 'abcdefghijklmnopqrstuvw';
    const index = indexOf(`${word}x ${word}xy`);

    expect(places(index.search(`${word}z`))).toEqual([0]);
    expect(places(indexOf(`${word}xy`).search(`${word}zy`))).toEqual([]);
  });

  it.each([100, 10_000])('takes time in proportion to its length, with unknown words and %i tools', (count) => {
    const words = unknownWords();
    const index = indexOf(...Array.from({ length: count }, (_, at) => `sends mail number ${at} to ${words(6, 30)}`));
    const least = (length: number, characters: number) => {
      const took = Array.from({ length: 7 }, () => {
        const query = words(length, characters);
        const start = performance.now();
        index.search(query);
        return performance.now() - start;
      });
      return Math.min(...took); // what else the machine does is not measured
    };

    for (const length of [6, 20, 24, 40, 60]) {
      // Ten times as long: a search that compared all words with all others would take a hundred times as long.
      expect(least(length, 98_000) / least(length, 9_800)).toBeLessThan(40);
    }
  });
});
