import { fc, it } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { bytesOfPath, systemPath, textOfPath } from './path-bytes.ts';

const latin1 = (bytes: readonly number[]) => Buffer.from(bytes).toString('latin1');
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
/** Bytes of which many begin a character and few end one. */
const wild = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f)),
);

describe('textOfPath and bytesOfPath', () => {
  it.prop([wild])('give any bytes back as they were', (bytes) => {
    expect(bytesOfPath(textOfPath(latin1(bytes)))).toBe(latin1(bytes));
  });

  it.prop([fc.string({ unit: 'grapheme' })])('leave text as it is', (text) => {
    expect(textOfPath(utf8(text))).toBe(text);
    expect(bytesOfPath(text)).toBe(utf8(text));
  });

  it.prop([wild, wild])('give different texts for different bytes', (one, other) => {
    expect(textOfPath(latin1(one)) === textOfPath(latin1(other))).toBe(latin1(one) === latin1(other));
  });

  it('give each byte that is no UTF-8 as U+DC00 plus the byte, as PEP 383 says', () => {
    expect(textOfPath(latin1([0x61, 0xff, 0xc3, 0xa9, 0xe2, 0x82]))).toBe('a\udcff\u00e9\udce2\udc82');
    expect(textOfPath(latin1([0xed, 0xb3, 0xbf]))).toBe('\udced\udcb3\udcbf'); // U+DCFF itself, as no UTF-8 writes it
    expect(textOfPath(latin1([0xef, 0xbb, 0xbf, 0x61]))).toBe('\ufeffa');
  });

  it.each(['\ud800', 'a\udc7f', '\udd00b', '\ud83d/\ude00'])('refuse half a character that is no byte', (path) => {
    expect(() => bytesOfPath(path)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('would lose names as plain text (control)', () => {
    const name = latin1([0xff]);

    expect(Buffer.from(systemPath(name).toString()).toString('latin1')).not.toBe(name);
  });
});
