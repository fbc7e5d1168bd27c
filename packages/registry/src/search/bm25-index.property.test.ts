import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25-index.ts';
import { meaningsOf } from './near-words.ts';
import { stem } from './stem.ts';
import { type Searchable, TermWeigher } from './weigh-terms.ts';
import { isFunctionWord, queryWordsOf } from './words.ts';

/** Answers as the index should, by adding up all terms of all documents. */
function plainSearch(documents: readonly Searchable[], query: string): Searchable[] {
  const weigher = new TermWeigher();
  const impacts = documents.map((document) => {
    const weights = [...weigher.weigh(document)];
    return new Map(weights.map(([term, weight]) => [term, Math.max(1, Math.round(1_023 * weight))] as const));
  });
  const terms = new Set(impacts.flatMap((of) => [...of.keys()]));
  const known = {
    has: (term: string) => terms.has(term),
    from: (start: string) => [...terms].filter((term) => term >= start).toSorted(byCodeUnits),
  };
  const having = (term: string) => impacts.filter((of) => of.has(term)).length;
  const meant = (words: readonly string[]) =>
    words
      .flatMap((word) => meaningsOf(word, known))
      .map((variants) => {
        const itself = variants.find(({ nearness }) => nearness === 1);
        const all = (itself ? [itself] : variants).reduce((sum, { term }) => sum + having(term), 0);
        const count = Math.min(all, documents.length);
        const rarity = Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
        return variants.map(({ term, nearness }) => ({
          term,
          factor: Math.max(1, Math.round(1_000 * rarity * nearness)),
        }));
      });
  const longestFirst = [...queryWordsOf(query)].toSorted(
    (one, other) => other.length - one.length || byCodeUnits(other, one),
  );
  const asked = [...new Map(longestFirst.map((word) => [stem(word), word])).values()];
  const telling = meant(asked.filter((word) => !isFunctionWord(word)));
  const words = telling.length > 0 ? telling : meant(asked.filter(isFunctionWord));
  const scoreOf = (of: ReadonlyMap<string, number>) => {
    const added = sumOf(words.flat().map(({ term, factor }) => factor * (of.get(term) ?? 0)));
    const nearest = words.map((variants) => variants.find(({ term }) => of.has(term))?.factor ?? 0);
    return added * (sumOf(nearest) + sumOf(words.map(([first]) => first!.factor)));
  };
  return documents
    .map((document, index) => ({ document, score: scoreOf(impacts[index]!) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.document.place - other.document.place)
    .map(({ document }) => document);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const word = fc.constantFrom(
  'list',
  'lists',
  'listing',
  'file',
  'files',
  'readFile',
  'repo',
  'repository',
  'mail',
  'email',
  'v2',
  'sha256',
  '検索',
  '全文検索',
  'größe',
  'the',
  'of',
  'delete',
  'user',
  'users',
);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const parameters = fc.array(fc.record({ name: word, description: text }), { maxLength: 2 });
const document = fc.record({
  name: text,
  description: text,
  tags: fc.array(word, { maxLength: 2 }),
  category: text,
  parameters,
});
const query = fc.oneof(text, fc.constantFrom('re', 'rep', 'emial', 'userlist', 'READFILE', '索', 'deleting', '', 'x'));
const searchable = (
  { name, description, parameters = [], ...rest }: Searchable['metadata'],
  place: number,
): Searchable => ({
  metadata: { name, description, parameters },
  place,
  ...rest,
});

describe('Bm25Index', () => {
  test.prop(
    [
      fc.array(document, { maxLength: 60, size: 'max' }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
    ],
    { numRuns: 200 },
  )(
    'answers as adding up all terms of all documents does, with every limit and whatever is accepted',
    (texts, asked, limit) => {
      const documents = texts.map(searchable);
      const index = new Bm25Index<Searchable>();
      for (const one of documents.toReversed()) index.add(one);
      const accepts = ({ place }: Searchable) => place % 3 === 0;

      for (const one of asked) {
        const plain = plainSearch(documents, one);

        expect(index.search(one)).toEqual(plain);
        expect(index.search(one, { limit })).toEqual(plain.slice(0, limit));
        expect(index.search(one, { limit, accepts })).toEqual(plain.filter(accepts).slice(0, limit));
      }
    },
  );
});

describe('Bm25Index with thousands', () => {
  const drawn = fc.sample(fc.array(fc.integer({ min: 0, max: 3_999 }), { minLength: 12, maxLength: 12 }), {
    seed: 11,
    numRuns: 3_000,
  });
  /** A quarter of all words are one of five, so that these are frequent; most are rare. */
  const wordOf = (number: number) => `w${Math.floor((number / 4_000) ** 3 * 400).toString(36)}q`;
  const textOf = (numbers: readonly number[]) => numbers.map(wordOf).join(' ');
  const documents = drawn.map((numbers, place) =>
    searchable({ name: textOf(numbers.slice(0, 2)), description: textOf(numbers.slice(2, 2 + (place % 10))) }, place),
  );

  it('answers as adding up all terms of all documents does, before and after changes', () => {
    const index = new Bm25Index<Searchable>();
    for (const one of documents) index.add(one);
    const asked = drawn.slice(0, 12).map((numbers, nth) => textOf(numbers.slice(0, 1 + (nth % 5))));
    const accepts = ({ place }: Searchable) => place % 7 === 0;
    const judge = (kept: readonly Searchable[]) => {
      for (const one of asked) {
        const plain = plainSearch(kept, one);

        expect(index.search(one)).toEqual(plain);
        for (const limit of [1, 5, 20, 100, 1_000]) {
          expect(index.search(one, { limit })).toEqual(plain.slice(0, limit));
          expect(index.search(one, { limit, accepts })).toEqual(plain.filter(accepts).slice(0, limit));
        }
      }
    };

    judge(documents);

    const changed = documents.map((one, at) =>
      at % 3 === 0 ? { ...one, metadata: documents[(7 * at) % 3_000]!.metadata } : one,
    );
    for (const [at, one] of documents.entries()) if (at % 3 === 0) index.remove(one);
    for (const [at, one] of [...changed.entries()].reverse()) if (at % 3 === 0) index.add(one);
    judge(changed);

    const left = changed.filter((_, at) => at % 5 === 0);
    for (const [at, one] of changed.entries()) if (at % 5 !== 0) index.remove(one);
    judge(left);
  });

  it('answers of a thousand equal documents those with the lowest places, in whatever order they came', () => {
    const index = new Bm25Index<Searchable>();
    for (let at = 0; at < 1_000; at++) index.add(searchable({ name: 'same', description: '' }, (at * 7) % 1_000));

    for (const limit of [1, 5, 20, 300]) {
      const found = index.search('same', { limit });

      expect(found.map(({ place }) => place)).toEqual(Array.from({ length: limit }, (_, place) => place));
    }
  });
});
