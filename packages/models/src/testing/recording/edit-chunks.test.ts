import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { editChunks, type TimedChunk } from './edit-chunks.ts';

const chunks = (...texts: readonly string[]): readonly TimedChunk[] =>
  texts.map((text, atMs) => ({ bytes: Buffer.from(text), atMs }));
const shown = (edited: readonly TimedChunk[]) => edited.map(({ bytes, atMs }) => `${atMs}:${bytes.toString()}`);

describe('editChunks', () => {
  it.each([
    ['within a piece', [{ start: 1, end: 2, text: 'X' }], ['0:aXc', '1:def', '2:ghi']],
    ['at the beginning of a piece', [{ start: 3, end: 4, text: 'X' }], ['0:abc', '1:Xef', '2:ghi']],
    ['at the end of a piece', [{ start: 2, end: 3, text: 'X' }], ['0:abX', '1:def', '2:ghi']],
    ['over two pieces', [{ start: 2, end: 4, text: 'X' }], ['0:abX', '1:ef', '2:ghi']],
    ['over a whole piece', [{ start: 2, end: 7, text: 'X' }], ['0:abX', '2:hi']],
    ['over all', [{ start: 0, end: 9, text: 'X' }], ['0:X']],
    [
      'twice',
      [
        { start: 0, end: 1, text: '' },
        { start: 1, end: 2, text: 'YY' },
      ],
      ['0:YYc', '1:def', '2:ghi'],
    ],
    ['never', [], ['0:abc', '1:def', '2:ghi']],
  ])('edits %s', (_where, edits, expected) => {
    expect(shown(editChunks(chunks('abc', 'def', 'ghi'), edits))).toEqual(expected);
  });

  test.prop([fc.array(fc.string({ maxLength: 5 })), fc.array(fc.nat({ max: 40 }), { maxLength: 8 })])(
    'does to the pieces what it would do to the whole',
    (texts, places) => {
      const whole = Buffer.from(texts.join(''));
      const points = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b);
      const edits = points.flatMap((start, index) => {
        const end = points[index + 1];
        return index % 2 === 0 && end !== undefined ? [{ start, end, text: `<${index}>` }] : [];
      });
      let [expected, at] = ['', 0];
      for (const { start, end, text } of edits) {
        expected += whole.subarray(at, start).toString('latin1') + text;
        at = end;
      }
      expected += whole.subarray(at).toString('latin1');

      const edited = editChunks(chunks(...texts), edits);

      expect(Buffer.concat(edited.map(({ bytes }) => bytes)).toString('latin1')).toBe(expected);
      expect(edited.every(({ bytes }) => bytes.length > 0)).toBe(true);
    },
  );
});
