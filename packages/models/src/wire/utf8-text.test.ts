import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Utf8Text } from './utf8-text.ts';

function read(...pieces: readonly Uint8Array[]): string {
  const text = new Utf8Text();
  return [...pieces.map((piece) => Buffer.from(piece)), undefined].map((piece) => text.push(piece)).join('');
}

describe('Utf8Text', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60, size: 'max' }),
    fc.string({ unit: 'binary', maxLength: 20, size: 'max' }).map((text) => new TextEncoder().encode(text)),
    fc
      .array(fc.constantFrom(0xef, 0xbb, 0xbf, 0x61, 0xf0, 0x9f, 0x98, 0x80, 0xc3), { maxLength: 60, size: 'max' })
      .map((list) => Uint8Array.from(list)),
  );
  test.prop([bytes, fc.array(fc.nat({ max: 60 }), { maxLength: 30, size: 'max' })], { numRuns: 400 })(
    'reads any bytes as TextDecoder does, wherever they are cut',
    (all, cuts) => {
      const ends = [0, ...cuts.map((cut) => Math.min(cut, all.length)).toSorted((a, b) => a - b), all.length];

      const text = read(...ends.slice(1).map((to, index) => all.subarray(ends[index], to)));

      expect(text).toBe(new TextDecoder().decode(all));
    },
  );

  it('takes a mark behind a broken byte for text, also when a cut is between them', () => {
    const bytes = Uint8Array.of(0xef, 0xef, 0xbb, 0xbf);

    expect(read(bytes.subarray(0, 1), bytes.subarray(1))).toBe('\uFFFD\uFEFF');
  });

  it('takes the byte order mark for none of the text, whether or not it comes alone', () => {
    const marked = new TextEncoder().encode('\uFEFFdata: \uFEFF');

    expect(read(marked)).toBe('data: \uFEFF');
    expect(read(marked.subarray(0, 3), marked.subarray(3))).toBe('data: \uFEFF');
  });
});
