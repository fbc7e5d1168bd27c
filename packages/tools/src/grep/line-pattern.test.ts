import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { linePattern } from './line-pattern.ts';

describe('linePattern', () => {
  it.each([
    ['(?P<name>x)y', 'xy', true],
    ['\\(?P<', '(P<', true],
    ['(?i)äb', 'ÄB', true],
    ['^[^\\W]$', '_', true],
    ['interface{}', 'interface{}', true],
    ['func() {', 'func {', true],
    ['^.$', '\r', true],
    ['^.$', '😀', true],
    ['.', '\uDC00', false],
    ['[^a]', '\uDC00', false],
    ['[^]', '\uDC00', false],
    ['\\W|\\D|\\S|\\P{L}', '\uDC00', false],
    ['a\\b', 'a\uDC00', true],
    ['a\\B', 'a\uDC00', false],
  ])('%j against %j: %s', (pattern, line, expected) => {
    expect(linePattern(pattern).test(line)).toBe(expected);
  });

  it.each([
    ['a\\n', 'one line at a time'],
    ['a\nb', 'one line at a time'],
    ['[[:alpha:]]', '[: :] is not supported'],
    ['a(?i)b', 'not a regular expression'],
    ['a{2000}', 'too large'],
    ['\\', '\\ at end of pattern'],
    ['a'.repeat(4_097), 'longer than 4096'],
  ])('refuses %j and says why', (pattern, reason) => {
    expect(() => linePattern(pattern)).toThrow(ValidationError);
    expect(() => linePattern(pattern)).toThrow(reason);
  });

  it('takes a line of any length, and refuses one that may take too long', () => {
    expect(linePattern('a+b').test('a'.repeat(1_000_000))).toBe(false);
    expect(() => linePattern('[ab]{999}c{999}').test('a'.repeat(1_000_000))).toThrow(
      'too large for 1000000 characters',
    );
  });

  it.each([
    ['hit \\d*7$', 'hit '],
    ['\\bfoo\\b', 'foo'],
    ['ab+c', 'ab'],
    ['ab*?cd', 'cd'],
    ['a😀{0,2}b', 'a'],
    ['(abc)d', 'd'],
    ['abc|d', ''],
    ['\\.x\\PLy', '.x'],
    ['\\cAbc\\x41\\u0042', 'bc'],
    ['[)|]ab', 'ab'],
  ])('knows a text that %j requires: %j', (pattern, text) => {
    expect(linePattern(pattern).required).toBe(text);
  });

  const piece = fc.constantFrom(
    'a',
    'b',
    '😀',
    '\\.',
    '.',
    '[^a]',
    '\\w',
    '\\b',
    '^',
    '$',
    '(a|b)',
    '(ab)',
    '|',
    '\\x61',
    '\\PL',
  );
  const times = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,1}', '*?', '+?');
  const pattern = fc
    .array(fc.tuple(piece, times), { maxLength: 5 })
    .map((parts) => parts.map(([one, many]) => (/^(?:\\b|[\^$|])$/.test(one) ? one : one + many)).join(''));
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', '😀', ' '), maxLength: 8 }), {
    minLength: 8,
  });

  test.prop([pattern, lines], { numRuns: 500 })('requires no text that a matching line has not', (source, on) => {
    const { required, test: matches } = linePattern(source);

    expect(on.filter((line) => matches(line) && !line.includes(required))).toEqual([]);
  });
});
