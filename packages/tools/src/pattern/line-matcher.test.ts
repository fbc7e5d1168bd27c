import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { LineMatcher } from './line-matcher.ts';
import { parsePattern } from './parse-pattern.ts';

function matches(pattern: string, line: string, ignoreCase = false): boolean {
  return new LineMatcher(parsePattern(pattern, { ignoreCase })).matches(line);
}

describe('LineMatcher', () => {
  it.each([
    ['abc', 'xxabcxx', true],
    ['^abc$', 'abcd', false],
    ['', '', true],
    ['a|', 'x', true],
    ['^$', '', true],
    ['colou?r', 'color', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}$', 'aaaa', true],
    ['^a{0}$', '', true],
    ['(ab)+c', 'ababc', true],
    ['(?:x|y)z', 'yz', true],
    ['(?<name>x)y', 'xy', true],
    ['(?P<name>x)y', 'xy', true],
    ['a+?b', 'aab', true],
    ['[^a-c]', 'abc', false],
    ['[]a]', ']', true],
    ['[a-]', '-', true],
    ['[\\d-]x', '-x', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\bfoo\\b', 'afoo', false],
    ['o\\Bo', 'foo', true],
    ['\\w+', 'ä', true],
    ['^\\W$', 'ä', false],
    ['\\d', '٣', true],
    ['\\s', '\u00a0', true],
    ['\\p{Lu}', 'ä', false],
    ['\\p{Lu}', 'Ä', true],
    ['\\PL', 'ä', false],
    ['^.$', '😀', true],
    ['\\x41\\u0042\\u{1F600}', 'AB😀', true],
    ['\\t\\.', '\t.', true],
    ['interface{}', 'interface{}', true],
    ['func() {', 'func {', true],
    ['a{,3}', 'a{,3}', true],
    ['}]', '}]', true],
    ['.', '\uDC00', false],
    ['[^a]', '\uDC00', false],
    ['a\\b', 'a\uDC00', false],
    ['a\\B', 'a\uDC00', false],
  ])('%j against %j: %s', (pattern, line, expected) => {
    expect(matches(pattern, line)).toBe(expected);
  });

  it.each([
    ['straße', 'STRAßE', true],
    ['[a-z]', 'K', true],
    ['[^a]', 'A', false],
    ['k', '\u212a', true],
    ['É', 'é', true],
  ])('ignoring capitals, %j against %j: %s', (pattern, line, expected) => {
    expect(matches(pattern, line, true)).toBe(expected);
  });

  it.each([
    ['(?=a)', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(a)\\1', 'back references'],
    ['a\\n', 'one line at a time'],
    ['a**', 'follows another'],
    ['*a', 'nothing before *'],
    ['(a', 'not closed'],
    ['a)', 'closes no group'],
    ['[a', '[ is not closed'],
    ['[z-a]', 'runs backwards'],
    ['[\\d-z]', 'end of a range'],
    ['[[:alpha:]]', 'not taken inside'],
    ['a{3,2}', 'wrong way round'],
    ['a{5000}', 'more than 1000'],
    ['\\', 'lone backslash'],
    ['\\p{Greek}', 'general categories'],
    ['\\u{110000}', 'not a character'],
    ['a(?i)b', 'leading (?i)'],
    ['('.repeat(200), 'nested more than 100'],
    ['(((a{1000}){1000}){1000})', 'too large'],
  ])('refuses %j and says why', (pattern, reason) => {
    expect(() => new LineMatcher(parsePattern(pattern))).toThrow(ValidationError);
    expect(() => new LineMatcher(parsePattern(pattern))).toThrow(reason);
  });

  it('refuses a pattern that nobody has written by hand', () => {
    expect(() => parsePattern('a'.repeat(100_001))).toThrow('more than 100000 characters');
  });

  it.each([['(a+)+b'], ['(a|aa)+b'], ['(a*)*b'], ['a*a*a*a*a*a*a*a*b'], ['(a|b|ab)*c{2}'], ['(.*)(.*)(.*)(.*)x']])(
    'answers %s on a long line',
    (pattern) => {
      expect(matches(pattern, 'a'.repeat(30_000))).toBe(false);
    },
  );

  it('answers a pattern with more states than it keeps', () => {
    const line = Array.from({ length: 20_000 }, (_, index) => ((index * index) % 7 < 3 ? 'a' : 'b')).join('');

    expect(matches('a[ab]{14}c', line)).toBe(false);
    expect(matches('a[ab]{14}c', `${line}a${'b'.repeat(14)}c`)).toBe(true);
  });

  it('looks at the part of the text it is told to, as a line of its own', () => {
    const matcher = new LineMatcher(parsePattern('^b$'));

    expect([matcher.matches('abc', 1, 2), matcher.matches('abc', 0, 2), matcher.matches('abc')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  const { pattern } = fc.letrec<{ pattern: string; atom: string; piece: string }>((tie) => ({
    atom: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', '\\b', '\\B', '^', '$', ' ', '_', '\\s', '[^\\s]'),
      tie('pattern').map((inner) => `(${inner})`),
    ),
    piece: fc.tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?')).map(([atom, repeat]) => {
      return /^(?:\^|\$|\\b|\\B)$/i.test(atom) && atom !== '\\W' ? atom : atom + repeat;
    }),
    pattern: fc
      .array(fc.array(tie('piece'), { maxLength: 4 }), { minLength: 1, maxLength: 2 })
      .map((options) => options.map((pieces) => pieces.join('')).join('|')),
  }));
  const line = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '_', ' ', '-'), maxLength: 12, size: 'max' });

  test.prop([pattern, fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean()], { numRuns: 500 })(
    'says what a regular expression of JavaScript says',
    (source, long, ignoreCase) => {
      // With a repeated group JavaScript may try every way to divide the line; ours does not, so the oracle gets short ones.
      const lines = /\)[*+?{]/.test(source) ? long.map((each) => each.slice(0, 5)) : long;
      const matcher = new LineMatcher(parsePattern(source, { ignoreCase }));
      const expression = new RegExp(source, ignoreCase ? 'i' : '');

      expect(lines.map((each) => matcher.matches(each))).toEqual(lines.map((each) => expression.test(each)));
    },
  );
});
