import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';
import { TokenTerms } from './token-terms.ts';
import { Vocabulary } from './vocabulary.ts';
import { tokensOf, wordsOf } from './words.ts';

const read = (tokens: TokenTerms, vocabulary: Vocabulary, texts: readonly string[]) => {
  const count = tokens.read(texts);
  return Array.from(tokens.terms.subarray(0, count), (term) => vocabulary.termOf(term));
};
const expected = (texts: readonly string[]) => texts.flatMap(tokensOf).flatMap(wordsOf).map(stem);

describe('TokenTerms', () => {
  const word = fc.constantFrom(
    'Files',
    'readFile',
    'HTTPServer',
    'sha256',
    'v2',
    'naïve',
    '検索',
    '全文検索v2',
    'x'.repeat(30),
  );
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(word).map((words) => words.join(' - ')),
  );

  test.prop([fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 20 })])(
    'reads the stems of the words of any texts, first and again',
    (documents) => {
      const vocabulary = new Vocabulary();
      const tokens = new TokenTerms(vocabulary);

      for (const texts of [...documents, ...documents]) {
        expect(read(tokens, vocabulary, texts)).toEqual(expected(texts));
      }
    },
  );

  const name = fc.stringMatching(/^[a-c]{1,2}([A-C][a-c])?$/);

  test.prop([fc.array(fc.tuple(name, fc.boolean()), { maxLength: 200, size: 'max' })])(
    'reads no number that was given to another term meanwhile',
    (steps) => {
      const vocabulary = new Vocabulary();
      const tokens = new TokenTerms(vocabulary);
      for (const [one, isDeleted] of steps) {
        expect(read(tokens, vocabulary, [one])).toEqual(expected([one]));
        const id = isDeleted ? vocabulary.idOf(stem(one.toLowerCase())) : undefined;
        if (id !== undefined) vocabulary.delete(id);
      }
    },
  );

  it('reads more tokens than it keeps', () => {
    const vocabulary = new Vocabulary();
    const tokens = new TokenTerms(vocabulary);
    const texts = Array.from({ length: 40_000 }, (_, index) => `w${(index * 7).toString(36)}q`);

    expect(read(tokens, vocabulary, texts)).toEqual(expected(texts));
    expect(read(tokens, vocabulary, texts)).toEqual(expected(texts));
  });
});
