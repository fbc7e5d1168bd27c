import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-pattern.ts';

describe('linearPattern', () => {
  it('finds a pattern anywhere, unless it is anchored', () => {
    expect(linearPattern('b+').test('abbc')).toBe(true);
    expect(linearPattern('^b+$').test('abbc')).toBe(false);
    expect(linearPattern('^$').test('')).toBe(true);
  });

  it('answers the same however often it is asked', () => {
    const pattern = linearPattern('a');

    expect([pattern.test('a'), pattern.test('a'), pattern.test('b'), pattern.test('a')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it.each(['^(a+)+$', '([a-z]+)*$', '^(a|aa)+$', '(x+x+)+y'])('answers %s in time (R50)', (source) => {
    const pattern = linearPattern(source);

    // The best of five: a busy machine may pause any one of them.
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      pattern.test(`${'a'.repeat(28)}!`);
      return performance.now() - started;
    });

    expect(Math.min(...times)).toBeLessThan(50);
  });

  it.each(['(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>'])(
    'refuses %s: look-around and back-references',
    (source) => {
      expect(() => linearPattern(source)).toThrow(ValidationError);
      expect(() => linearPattern(source)).toThrow(/not supported/);
    },
  );

  it.each(['(', '[a', 'a**', '\\', '(?i)a', '(?P<n>a)'])('refuses %s, which is no regular expression', (source) => {
    expect(() => linearPattern(source)).toThrow(/is not a regular expression/);
  });

  it.each(['\\A', '\\z', '\\Q.\\E', '\\C', '\\e'])('refuses %s, which means something else elsewhere', (source) => {
    expect(() => linearPattern(source)).toThrow(/has no meaning/);
  });

  it('refuses a pattern that is too long or too large', () => {
    expect(() => linearPattern('a'.repeat(4_097))).toThrow(/longer than 4096/);
    expect(() => linearPattern('a{1000}'.repeat(10))).toThrow(/too large/);
    expect(() => linearPattern('a{2000}')).toThrow(ValidationError);
  });

  it('takes any text within the steps it is given', () => {
    const pattern = linearPattern('a+b', { maxSteps: 1_000_000 });

    expect(pattern.test(`${'a'.repeat(70_000)}b`)).toBe(true);
    expect(() => pattern.test('a'.repeat(1_000_000))).toThrow(/too large for 1000000 characters/);
  });

  it('takes a dot for any character of a line, and a broken byte for none', () => {
    const pattern = linearPattern('^.$', { line: true });

    expect(['\r', '\u2028', '😀', '\udc00'].map((text) => pattern.test(text))).toEqual([true, true, true, false]);
  });

  it('refuses a text over 64 KB, and takes one of just that', () => {
    const pattern = linearPattern('^a+$');

    expect(pattern.test('a'.repeat(65_536))).toBe(true);
    expect(() => pattern.test('a'.repeat(65_537))).toThrow(ValidationError);
  });

  const corners = ['', 'a', 'A:]', 'a[', ']', '\0', '\b', 'é', '\u{1f600}', 'aa', ' ', '\v', '\u00a0', '\ufeff', '\r'];
  it.each([
    '[]',
    '[^]',
    '[[]',
    '[^[^]',
    '[[:alpha:]]',
    '[\\]]',
    '\\-',
    '^.$',
    '^[.]$',
    '^\\s$',
    '^\\S$',
    '^[\\s]$',
    '^[\\S]$',
    '^[^\\s]$',
    '^[^\\S]$',
    '^[\\b]$',
    '^\\0$',
    '\\u{1f600}',
    '\\u0041',
    '\\x41',
    '\\cA',
    '\\/',
    '(?<n>a)',
    '\\p{L}',
    '\\p{Script=Latin}',
    '\\P{sc=Greek}',
    '\\p{Lu}|\\d',
    '\\p{General_Category=Lowercase_Letter}',
    '[^\\p{Letter}\\p{Space_Separator}]',
    '\\P{gc=Control}',
    '\\bé?\\B',
  ])('means by %s what ECMA-262 means', (source) => {
    const pattern = linearPattern(source);
    const reference = referenceOf(source);

    expect(corners.map((text) => pattern.test(text))).toEqual(corners.map((text) => reference.test(text)));
  });

  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\S',
    '[ab]',
    '[^a]',
    '[\\s-]',
    '^',
    '$',
    '\\b',
    'é',
  );
  const times = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '*?');
  const anchors = new Set(['^', '$', '\\b']);
  const source = fc
    .array(
      fc
        .array(fc.tuple(piece, times), { maxLength: 4 })
        .map((parts) => parts.map(([one, many]) => (anchors.has(one) ? one : one + many)).join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((choices) => `(${choices.join('|')})`);
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '\r', '\u00a0', '_', 'é', '-'),
    maxLength: 8,
  });

  test.prop([source, source, text], { numRuns: 500 })('agrees with it on both cases of a letter', (one, two, on) => {
    const pattern = (one + two).replaceAll('b', 'B');

    expect(linearPattern(pattern, { ignoreCase: true }).test(on)).toBe(new RegExp(pattern, 'iu').test(on));
  });

  test.prop([source, source, text], { numRuns: 1_000 })(
    'agrees with RegExp on every pattern both know',
    (one, two, on) => {
      expect(linearPattern(one + two).test(on)).toBe(new RegExp(one + two, 'u').test(on));
    },
  );
});

/** With the flag where the pattern allows it. */
function referenceOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

describe('linearPattern, beyond 16 bits', () => {
  const SAMPLES = ['😀', '😁', '😂', '🤣', 'a', '', '😀😀', '\ud83d', '\ude00', 'é'];

  it.each([
    '[😀-😂]',
    '^[😀-😂]$',
    '^[\\u{1F600}-\\u{1F602}]$',
    '\\ud83d\\ude00',
    '^[\\uD83D\\uDE00-\\uD83D\\uDE02]+$',
    '^[^\\ud83d\\ude00]$',
    '\\p{ASCII}',
    '^\\P{ASCII}+$',
    '^[\\p{ASCII}é]*$',
    '^[^\\P{ASCII}]+$',
    '^\\p{Any}$',
  ])('means by %s what ECMA-262 means with the flag u', (source) => {
    const [pattern, reference] = [linearPattern(source), new RegExp(source, 'u')];
    const whole = SAMPLES.filter((text) => !/[\ud800-\udfff]/u.test(text));

    expect(whole.map((text) => pattern.test(text))).toEqual(whole.map((text) => reference.test(text)));
  });
});
