import { describe, expect, it } from 'vitest';
import { mismatchHint } from './mismatch-hint.ts';

describe('mismatchHint', () => {
  it.each([
    ['a\n  the word b\nc', 'word  b', 'It matches line 2 when white space is ignored'],
    ['one  two\n\tthree\nfour', '\none two\nthree\n', 'It matches lines 1 to 2 when white space is ignored'],
    ['a\nb\nc', '2\tb\n3\tc', 'It matches lines 2 to 3 without the line numbers'],
    ['first\nsecond', 'first\nother', 'Its first line is line 1 of the file, but what follows differs'],
    ['x', ' \n ', 'Read the file again and copy the text exactly'],
    ['x', 'y', 'Read the file again and copy the text exactly'],
  ])('says of %j, where %j was wanted: %s', (text, wanted, hint) => {
    expect(mismatchHint(text, wanted)).toContain(hint);
  });
});
