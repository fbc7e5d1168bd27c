import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { BoundedText } from './bounded-text.ts';

const note = (cut: number) => `[${cut}]`;

function bounded(chunks: readonly string[], maxCharacters: number): string {
  const text = new BoundedText(maxCharacters, note);
  for (const chunk of chunks) text.add(chunk);
  return text.toString();
}

describe('BoundedText', () => {
  it('keeps a text that fits', () => {
    expect(bounded(['abc', 'defg'], 7)).toBe('abcdefg');
  });

  it('keeps head and tail of one that does not, and says how much is missing', () => {
    expect(bounded(['0123456789', '0123456789', '0123456789'], 20)).toBe('0123456789[14]456789');
  });

  const chunks = fc.array(fc.string({ unit: 'grapheme', maxLength: 40, size: 'max' }), { maxLength: 60, size: 'max' });
  test.prop([chunks, fc.integer({ min: 20, max: 200 })])('is never over the bound', (texts, maxCharacters) => {
    expect(bounded(texts, maxCharacters).length).toBeLessThanOrEqual(maxCharacters);
  });

  test.prop([chunks, fc.integer({ min: 20, max: 200 })])(
    'gives the text back when its parts are joined by what was cut, however it came',
    (texts, maxCharacters) => {
      const all = texts.join('');
      const kept = bounded(texts, maxCharacters);
      const whole = bounded([all], maxCharacters);

      expect(kept).toBe(whole);
      if (all.length <= maxCharacters) expect(kept).toBe(all);
      else expect(restOf(all, kept)).toBeDefined();
      expect(kept).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/);
    },
  );
});

/** The numbers of head, cut and tail characters, when they make up the whole text. */
function restOf(all: string, kept: string): [number, number, number] | undefined {
  for (let head = 0; head < kept.length; head += 1) {
    const match = /^\[(\d+)\]/.exec(kept.slice(head));
    const tail = match ? kept.slice(head + match[0].length) : '';
    if (!match || head + Number(match[1]) + tail.length !== all.length) continue;
    if (all.startsWith(kept.slice(0, head)) && all.endsWith(tail)) return [head, Number(match[1]), tail.length];
  }
  return undefined;
}
