import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { fillIn } from './expand-message.ts';
import { splitArguments } from './split-arguments.ts';

const words = fc.string({ unit: fc.constantFrom('$', '1', '2', 'A', '\\', '"', "'", ' ', '{', '}', '&', '`') });
const plain = fc.string({ unit: 'grapheme-ascii' }).map((text) => text.replaceAll(/[$\\]/g, '-'));

describe('fillIn', () => {
  it.each<[string, string, string]>([
    ['Fix $ARGUMENTS now.', 'the "big bug"', 'Fix the "big bug" now.'],
    ['From $1 to $2.', '"a b" c d', 'From a b to c.'],
    ['From $1 to $2.', 'a', 'From a to .'],
    ['$2 $1 $2', 'a b', 'b a b'],
    [String.raw`Costs \$5, not $1.`, '7', 'Costs $5, not 7.'],
    ['$10 and $0 and $ARGUMENTS_OF and $x and $', '', '$10 and $0 and $ARGUMENTS_OF and $x and $'],
    ['Look around.', 'in src', 'Look around.\n\nin src'],
    ['Look around.', ' \n', 'Look around.'],
    ['All: $ARGUMENTS.', '', 'All: .'],
  ])('makes of %j with %j: %j', (text, rest, expected) => {
    expect(fillIn(text, rest)).toBe(expected);
  });

  test.prop([words, words])('never looks again at what an argument contains', (first, second) => {
    const rest = `${first} ${second}`;
    const [one = '', two = ''] = splitArguments(rest);

    expect(fillIn('<$1|$2|$ARGUMENTS>', rest)).toBe(`<${one}|${two}|${rest}>`);
  });

  test.prop([plain, plain, words])('leaves the rest of the text as it is', (before, after, rest) => {
    expect(fillIn(`${before}\n$ARGUMENTS\n${after}`, rest)).toBe(`${before}\n${rest}\n${after}`);
  });
});
