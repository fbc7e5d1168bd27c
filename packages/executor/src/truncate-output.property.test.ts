import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { MAX_OUTPUT_BYTES, truncateOutput } from './truncate-output.ts';

/** Characters of one to four bytes, byte order marks among them. */
const text = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('ä', '漢', '😀', '\uFEFF', '\n')), {
    maxLength: 60,
    size: 'max',
  })
  .map((parts) => parts.join(''));
const bytesOf = (value: string) => new TextEncoder().encode(value).length;

describe('truncateOutput', () => {
  test.prop([text, fc.integer({ min: 1, max: 100 })], { numRuns: 1000 })(
    'is never much over the bound, valid, and keeps both ends',
    (output, maxBytes) => {
      const cut = truncateOutput(output, maxBytes);

      if (bytesOf(output) <= maxBytes) {
        expect(cut).toBe(output);
        return;
      }
      const [, head = '', tail = ''] = /^(.*)\n\[\.\.\. \d+ bytes of \d+ cut \.\.\.\]\n(.*)$/su.exec(cut) ?? [];
      expect(bytesOf(head)).toBeLessThanOrEqual(maxBytes / 2);
      expect(bytesOf(tail)).toBeLessThanOrEqual(maxBytes / 2 + 3);
      expect(bytesOf(head)).toBeGreaterThan(maxBytes / 2 - 5);
      expect(output.startsWith(head)).toBe(true);
      expect(output.endsWith(tail)).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
    },
  );

  it('makes a lone surrogate well-formed instead of breaking on it', () => {
    expect(truncateOutput(`${'\uD800'.repeat(50)}`, 60).isWellFormed()).toBe(true);
  });

  it('keeps 1 MiB without a bound of its own', () => {
    expect(truncateOutput('x'.repeat(MAX_OUTPUT_BYTES))).toHaveLength(MAX_OUTPUT_BYTES);
    expect(truncateOutput('x'.repeat(MAX_OUTPUT_BYTES + 1))).toContain('bytes of 1048577 cut');
  });
});
