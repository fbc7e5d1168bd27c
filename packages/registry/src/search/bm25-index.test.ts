import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25-index.ts';
import type { Searchable } from './weigh-terms.ts';

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
const described = (...descriptions: string[]) =>
  indexOf(...descriptions.map((text, place) => document(String.fromCodePoint(97 + place), text, place)));
const namesOf = (found: readonly Searchable[]) => found.map((one) => one.metadata.name);

describe('Bm25Index', () => {
  it('puts rare words over frequent ones, and short texts over long ones', () => {
    const index = described('common', 'common rare', 'common filler filler filler');

    expect(namesOf(index.search('common rare'))).toEqual(['b', 'a', 'c']);
  });

  it('finds a name by its parts and as one word, whatever the case', () => {
    const index = indexOf(document('read-file', '', 0), document('writeFile', '', 1));

    expect(namesOf(index.search('FILE'))).toEqual(['read-file', 'writeFile']);
    expect(namesOf(index.search('readFile'))).toEqual(['read-file', 'writeFile']);
    expect(namesOf(index.search('WRITEFILE'))[0]).toBe('writeFile');
  });

  it('finds a name of many parts as one word', () => {
    const index = indexOf(document('get-user', '', 0), document('get-user-by-id', '', 1));

    expect(namesOf(index.search('getUserById'))).toEqual(['get-user-by-id', 'get-user']);
  });

  it('does not let a long description drown a name', () => {
    const index = indexOf(document('a', 'search', 0), document('search-web', 'finds '.repeat(12), 1));

    expect(namesOf(index.search('search'))).toEqual(['search-web', 'a']);
  });

  it('finds the forms of a word', () => {
    const index = described('deletes files', 'creating a deployment');

    expect(namesOf(index.search('deleting a file'))[0]).toBe('a');
    expect(namesOf(index.search('create'))).toEqual(['b']);
    expect(namesOf(index.search('deployed'))).toEqual(['b']);
  });

  it('finds words that begin with a word of the query, and those it begins with, below the word itself', () => {
    const index = described('repository', 'repo');

    expect(namesOf(index.search('repo'))).toEqual(['b', 'a']);
    expect(namesOf(index.search('repository'))).toEqual(['a', 'b']);
    expect(namesOf(index.search('reposi'))).toEqual(['a', 'b']);
  });

  it('puts what has more words of the query over what has a rarer one, or one of them more often', () => {
    const index = described('calendar calendar calendar sync', 'cancel an event of the calendar', 'event', 'event');

    expect(namesOf(index.search('cancel a calendar event'))[0]).toBe('b');
  });

  it.each([
    ['remove a label', 'delete-label'],
    ['make a label', 'create-label'],
    ['change the labels', 'update-label'],
    ['post a message', 'send-message'],
  ])('finds for %s what has a synonym, below what has the word itself', (query, name) => {
    const index = indexOf(document('count-things', '', 0), document(name, '', 1), document(query, '', 2));

    expect(namesOf(index.search(query))).toEqual([query, name]);
  });

  it.each(['emial', 'emal', 'emaill', 'enail'])('finds email by %s', (typed) => {
    expect(namesOf(described('send an email', 'other').search(typed))).toEqual(['a']);
  });

  it('takes no word that is there for a mistyped one', () => {
    expect(namesOf(described('tables', 'cables').search('cable'))).toEqual(['b']);
  });

  it('finds a Chinese word whose pieces are not there by its characters', () => {
    expect(namesOf(described('购买车票', '天气').search('买票'))).toEqual(['a']);
  });

  it('takes more than a thousand of one word in every field', () => {
    const many = Array.from({ length: 1_100 }, () => 'x');
    const index = indexOf({ ...document('x', many.join(' '), 0, many), category: many.join(' ') });

    expect(namesOf(index.search('x'))).toEqual(['x']);
  });

  it('counts a word of the query once, whatever its forms', () => {
    const index = described('two', 'one');

    expect(namesOf(index.search('one one ones two'))).toEqual(['a', 'b']);
  });

  it('answers forms of one word the same in any order, also equally long ones', () => {
    const index = described('the rate of a loan', 'rated films', 'rates and fees');
    const found = namesOf(index.search('rates rated'));

    expect(found).toHaveLength(3);
    expect(namesOf(index.search('rated rates'))).toEqual(found);
  });

  it('ignores the removal of what is not there', () => {
    const known = document('a', 'x', 0);
    const index = indexOf(known);

    index.remove(document('b', 'x', 1));
    index.remove(document('a', 'x', 0));
    index.remove(document('toString', '', 2));
    index.remove(document('', '', 3));

    expect(index.search('x')).toEqual([known]);
  });

  it('answers a query of very long words at once, and finds such a word', () => {
    const long = 'ab'.repeat(50_000);
    const index = described(long, 'ab abab ababab');

    expect(namesOf(index.search(long))).toEqual(['a']);
    expect(index.search(`${long}c ${'c'.repeat(100_000)}`)).toEqual([]);
  });

  it('holds nothing of what was once all of it has gone', () => {
    const [one, other] = [document('one', 'x', 0), document('other', 'x y', 1)];
    const index = indexOf(one, other);
    for (const gone of [one, other, one]) index.remove(gone);

    expect(index.search('x')).toEqual([]);

    index.add(other);

    expect(index.search('x y one')).toEqual([other]);
  });

  it('counts of many words that begin like one of the query the shortest', () => {
    const longer = Array.from(
      { length: 40 },
      (_, index) => `repo${String.fromCodePoint(97 + (index % 26))}${'x'.repeat(40 - index)}`,
    );
    const found = namesOf(described(...longer).search('repo'));

    expect(found).toEqual(Array.from({ length: 16 }, (_, index) => String.fromCodePoint(97 + 39 - index)));
  });

  it('finds a tool by the names and descriptions of its parameters, below one by its description', () => {
    const parameters = [{ name: 'commit_sha', description: 'Where to read at' }];
    const index = indexOf(
      { metadata: { name: 'a', description: 'other', parameters }, place: 0 },
      document('b', 'reads a commit', 1),
    );

    expect(namesOf(index.search('commit'))).toEqual(['b', 'a']);
    expect(namesOf(index.search('sha'))).toEqual(['a']);
    expect(namesOf(index.search('where to read'))[0]).toBe('b');
  });

  it('leaves function words of a query aside, unless it has no other word that is known', () => {
    const index = described('how can you be', 'finds scientific papers');

    expect(namesOf(index.search('How can I get abstracts of a paper?'))).toEqual(['b']);
    expect(namesOf(index.search('how can you'))).toEqual(['a']);
    expect(namesOf(index.search('how zzzzzz'))).toEqual(['a']);
  });

  it('finds terms named like properties of objects', () => {
    const index = described('constructor __proto__');

    expect(namesOf(index.search('constructor'))).toEqual(['a']);
    expect(index.search('toString')).toEqual([]);
  });

  it('answers the best that are accepted, as many as are wanted', () => {
    const index = described('x x x', 'x x', 'x y', 'x y z');

    const found = index.search('x', { limit: 2, accepts: ({ metadata: { name } }) => name !== 'a' });

    expect(namesOf(found)).toEqual(['b', 'c']);
    expect(index.search('x', { limit: 0 })).toEqual([]);
  });
});

const word = fc.constantFrom(
  'read',
  'reader',
  'reading',
  'file',
  'mail',
  '検索',
  '全文検索',
  'v2',
  'the',
  'mial',
  'fiel',
);
const words = fc.array(word, { maxLength: 5 }).map((list) => list.join(' '));
const queries = fc.array(fc.oneof(words, fc.constantFrom('re', 'rea', 'fiel', 'readfile', '索検', 'mial')), {
  minLength: 1,
  maxLength: 3,
});

describe('search', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.oneof(
    fc.record({ name, description: words, tags: fc.array(word, { maxLength: 2 }) }),
    fc.record({ name, removed: fc.constant(true) }),
    fc.record({ query: words }),
  );

  test.prop([fc.array(step, { maxLength: 200, size: 'max' }), queries], { numRuns: 200 })(
    'answers after any changes as a fresh index would, the same each time',
    (steps, asked) => {
      const changed = new Bm25Index<Searchable>();
      const kept = new Map<string, Searchable>();
      for (const [place, one] of steps.entries()) {
        if ('query' in one) {
          changed.search(one.query);
          continue;
        }
        const before = kept.get(one.name);
        if (before) changed.remove(before);
        kept.delete(one.name);
        if ('removed' in one) continue;
        const added = document(one.name, one.description, place, one.tags);
        changed.add(added);
        kept.set(one.name, added);
      }
      const fresh = indexOf(...kept.values());

      for (const query of asked) {
        expect(namesOf(changed.search(query))).toEqual(namesOf(fresh.search(query)));
        expect(changed.search(query.split(' ').reverse().join(' '))).toEqual(changed.search(query));
        expect(namesOf(changed.search(query))).toEqual(namesOf(changed.search(query)));
      }
    },
  );

  test.prop(
    [
      fc.array(fc.tuple(words, words), { minLength: 20, maxLength: 80, size: 'max' }),
      queries,
      fc.integer({ min: 1, max: 9 }),
    ],
    {
      numRuns: 300,
    },
  )('answers with a limit the beginning of the whole answer', (texts, asked, limit) => {
    const index = indexOf(...texts.map(([named, text], place) => document(`${named}-${place}`, text, place)));
    const accepts = ({ place }: Searchable) => place % 3 !== 0;

    for (const query of asked) {
      const whole = index.search(query, { accepts });

      expect(index.search(query, { accepts, limit })).toEqual(whole.slice(0, limit));
    }
  });
});

describe('search among thousands', () => {
  const seed = fc.sample(fc.array(fc.integer({ min: 0, max: 3_999 }), { minLength: 12, maxLength: 12 }), {
    seed: 7,
    numRuns: 2_000,
  });
  /** Few words are frequent, most are rare. */
  const wordOf = (number: number) => `w${Math.floor((number / 4_000) ** 3 * 400).toString(36)}q`;
  const documents = seed.map((numbers, place) =>
    document(
      numbers.slice(0, 2).map(wordOf).join('-'),
      numbers
        .slice(2, 2 + (place % 10))
        .map(wordOf)
        .join(' '),
      place,
    ),
  );

  it('answers with a limit the beginning of the whole answer, the same after any other search', () => {
    const [limited, whole] = [indexOf(...documents), indexOf(...documents)];

    for (const numbers of seed.slice(0, 300)) {
      const query = numbers.slice(0, 4).map(wordOf).join(' ');
      const all = whole.search(query);

      expect(limited.search(query, { limit: 5 })).toEqual(all.slice(0, 5));
      expect(limited.search(query, { limit: 40 })).toEqual(all.slice(0, 40));
    }
  });
});
