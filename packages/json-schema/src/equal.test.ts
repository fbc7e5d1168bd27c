import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { canonical, equal } from './equal.ts';

/** The same value with the keys of its objects the other way round. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, one]) => [name, reversed(one)]),
  );
}

describe('equal', () => {
  test.prop([fc.jsonValue()])('takes a value for itself, whatever the order of its keys', (value) => {
    expect(equal(value, reversed(value))).toBe(true);
    expect(canonical(value)).toBe(canonical(reversed(value)));
  });

  const { small } = fc.letrec<{ small: unknown }>((tie) => ({
    small: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom(0, -0, 1, '1', 'a', true, null),
      fc.array(tie('small'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', '1'), tie('small'), { maxKeys: 2 }),
    ),
  }));
  test.prop([small, small], { numRuns: 500 })('is said by the canonical texts too', (one, other) => {
    expect(canonical(one) === canonical(other)).toBe(equal(one, other));
  });

  it.each([
    [NaN, NaN, true],
    [NaN, 1, false],
    [1, NaN, false],
    ['NaN', NaN, false],
    [0, -0, true],
    [null, {}, false],
    [{}, null, false],
    [[], {}, false],
    [{}, [], false],
    [[1], [1, 2], false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ toString: 1 }, {}, false],
  ])('of %j and %j: %s', (one, other, expected) => {
    expect(equal(one, other)).toBe(expected);
    expect(equal([one], [other])).toBe(expected);
  });
});

describe('canonical', () => {
  it('tells apart what JSON has no text for', () => {
    expect([undefined, null, 1n, 1, '1', 'undefined'].map(canonical)).toEqual([
      'undefined',
      'null',
      '1n',
      '1',
      '"1"',
      '"undefined"',
    ]);
  });
});
