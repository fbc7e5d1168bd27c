import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Bm25Index, type Searchable } from './bm25-index.ts';

const document = (name: string, description: string, place: number, tags?: string[]): Searchable => ({
  metadata: { name, description },
  place,
  ...(tags ? { tags } : {}),
});
const indexOf = (...documents: Searchable[]) => {
  const index = new Bm25Index<Searchable>();
  for (const one of documents) index.add(one);
  return index;
};
const namesOf = (found: readonly Searchable[]) => found.map((one) => one.metadata.name);

describe('Bm25Index', () => {
  it('puts rare words over frequent ones, and short texts over long ones', () => {
    const index = indexOf(
      document('a', 'common', 0),
      document('b', 'common rare', 1),
      document('c', 'common filler filler filler', 2),
    );

    expect(namesOf(index.search('common rare'))).toEqual(['b', 'a', 'c']);
  });

  it('finds a name by its parts and as one word, whatever the case', () => {
    const index = indexOf(document('read-file', '', 0), document('writeFile', '', 1));

    expect(namesOf(index.search('FILE'))).toEqual(['read-file', 'writeFile']);
    expect(namesOf(index.search('readFile'))).toEqual(['read-file']);
    expect(namesOf(index.search('WRITEFILE'))).toEqual(['writeFile']);
  });

  it('does not let a long description drown a name', () => {
    const index = indexOf(document('a', 'search', 0), document('search-web', 'finds '.repeat(12), 1));

    expect(namesOf(index.search('search'))).toEqual(['search-web', 'a']);
  });

  it('takes more than 255 of one word in every field', () => {
    const many = Array.from({ length: 300 }, () => 'x');
    const index = indexOf({ ...document('x', many.join(' '), 0, many), category: many.join(' ') });

    expect(namesOf(index.search('x'))).toEqual(['x']);
  });

  it('counts a word of the query once', () => {
    const index = indexOf(document('a', 'one', 0), document('b', 'two', 1));

    expect(namesOf(index.search('one one one two'))).toEqual(['a', 'b']);
  });

  it('replaces a document of the same name', () => {
    const index = indexOf(document('a', 'old', 0), document('a', 'new', 0));

    expect(index.search('old')).toEqual([]);
    expect(namesOf(index.search('new'))).toEqual(['a']);
  });

  it('ignores the removal of what is not there', () => {
    const index = indexOf(document('a', 'x', 0));

    index.remove('b');
    index.remove('toString');

    expect(namesOf(index.search('x'))).toEqual(['a']);
  });

  it('finds terms named like properties of objects', () => {
    const index = indexOf(document('a', 'constructor __proto__', 0));

    expect(namesOf(index.search('constructor'))).toEqual(['a']);
    expect(index.search('toString')).toEqual([]);
  });

  const word = fc.constantFrom('read', 'write', 'file', 'mail', '検索', '全文検索', 'v2');
  const words = fc.array(word, { maxLength: 5 }).map((list) => list.join(' '));
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.oneof(
    fc.record({ name, description: words, tags: fc.array(word, { maxLength: 2 }) }),
    fc.record({ name, removed: fc.constant(true) }),
  );

  test.prop([fc.array(step, { maxLength: 200 }), fc.array(words, { minLength: 1, maxLength: 3 })], { numRuns: 200 })(
    'answers after any changes as a fresh index would, the same each time',
    (steps, queries) => {
      const changed = new Bm25Index<Searchable>();
      const kept = new Map<string, Searchable>();
      for (const [place, one] of steps.entries()) {
        if ('removed' in one) {
          changed.remove(one.name);
          kept.delete(one.name);
        } else {
          const added = document(one.name, one.description, place, one.tags);
          changed.add(added);
          kept.set(one.name, added);
        }
      }
      const fresh = indexOf(...kept.values());

      for (const query of queries) {
        expect(namesOf(changed.search(query))).toEqual(namesOf(fresh.search(query)));
        expect(namesOf(changed.search(query))).toEqual(namesOf(changed.search(query)));
      }
    },
  );
});
