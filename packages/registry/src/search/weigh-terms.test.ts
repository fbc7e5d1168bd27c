import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Searchable, TermWeigher } from './weigh-terms.ts';

const weigher = () => {
  const terms = new TermWeigher();
  return (document: Searchable) => terms.weigh(document);
};
const named = (name: string, description = ''): Searchable => ({ metadata: { name, description }, place: 0 });

describe('TermWeigher', () => {
  it('tells of each term once what it weighs in all fields together', () => {
    const weigh = weigher();
    const [name, description] = [weigh(named('read-mail')), weigh(named('', 'read'))];
    const both = weigh(named('read-mail', 'read'));

    expect([...both.keys()]).toEqual(['read', 'mail']);
    expect(both.get('read')).toBeCloseTo(name.get('read')! + description.get('read')!, 12);
    expect(both.get('mail')).toBe(name.get('mail'));
  });

  it('weighs a word most in a name, more where it stands twice, and less in a longer text', () => {
    const weigh = weigher();
    const weightOf = (document: Searchable) => weigh(document).get('x')!;
    const parameter: Searchable = {
      ...named(''),
      metadata: { name: '', description: '', parameters: [{ name: 'x', description: '' }] },
    };
    const others = [{ ...named(''), tags: ['x'] }, { ...named(''), category: 'x' }, named('', 'x'), parameter].map(
      weightOf,
    );

    expect(weightOf(named('x'))).toBeGreaterThan(Math.max(...others));
    expect(weightOf(named('', 'x x y'))).toBeGreaterThan(weightOf(named('', 'x y z')));
    expect(weightOf(named('', `x ${'y '.repeat(40)}`))).toBeLessThan(weightOf(named('', `x ${'y '.repeat(20)}`)));
  });

  it('keeps the weight of a name however many new words the description has', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `w${index.toString(36)}q`).join(' ');

    expect(weigher()(named('x', many)).get('x')).toBe(weigher()(named('x')).get('x'));
  });

  const text = fc.array(fc.constantFrom('read', 'reading', 'readFile', 'Größe', '検索', 'v2'), { maxLength: 8 });
  const document = fc.record({ name: text, description: text, tags: text, category: text }).map(
    ({ name, description, tags, category }): Searchable => ({
      metadata: { name: name.join('-'), description: description.join(' ') },
      tags,
      category: category.join(' '),
      place: 0,
    }),
  );

  test.prop([fc.array(document, { maxLength: 30 })])(
    'tells of a document the same whatever was weighed before, from 0 to 1',
    (documents) => {
      const weigh = weigher();
      for (const one of documents) {
        const weights = weigh(one);

        expect(weights).toEqual(weigher()(one));
        expect([...weights.values()].every((weight) => weight > 0 && weight < 1)).toBe(true);
      }
    },
  );
});
