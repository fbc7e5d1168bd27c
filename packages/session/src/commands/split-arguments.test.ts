import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { splitArguments } from './split-arguments.ts';

const doubleQuoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** Any text that can be typed as one argument without quotes. */
const escaped = (text: string) => text.replaceAll(/[\s'"\\]/g, '\\$&');
const space = fc.stringMatching(/^[ \t\n\u00a0]{1,3}$/);

describe('splitArguments', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['  \n ', []],
    ['one two\tthree\nfour', ['one', 'two', 'three', 'four']],
    ['"one two" three', ['one two', 'three']],
    ["'one two' three", ['one two', 'three']],
    [String.raw`'a\b"' "a\"b\\c\d"`, ['a\\b"', String.raw`a"b\c\d`]],
    ['"" \'\' x', ['', '', 'x']],
    ['"one"two', ['onetwo']],
    [String.raw`one\ two \"three\\`, ['one two', '"three\\']],
    [String.raw`C:\new end\ `, [String.raw`C:\new`, 'end ']],
    ["don't say 'never", ["don't", 'say', "'never"]],
    ['size 5" wide', ['size', '5"', 'wide']],
    ['\\', ['\\']],
  ])('splits %j into %j', (text, expected) => {
    expect(splitArguments(text)).toEqual(expected);
  });

  test.prop([fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.boolean(), space))])(
    'finds each argument that was quoted or escaped',
    (parts) => {
      const typed = parts.map(
        ([value, quotes, gap]) => (quotes || value === '' ? doubleQuoted(value) : escaped(value)) + gap,
      );

      expect(splitArguments(typed.join(''))).toEqual(parts.map(([value]) => value));
    },
  );

  test.prop([fc.string({ unit: 'binary' })])('loses nothing but white space, quotes and backslashes', (text) => {
    const rest = (given: string) => given.replaceAll(/[\s'"\\]/g, '');

    expect(rest(splitArguments(text).join(''))).toBe(rest(text));
  });
});
