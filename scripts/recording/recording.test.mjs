import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawSvg } from './draw-svg.mjs';
import { playback } from './playback.mjs';

const size = { columns: 10, rows: 2 };
const textsOf = ({ lines }) =>
  lines.map(({ row, from, to, parts }) => [
    row,
    from.toFixed(2),
    to.toFixed(2),
    parts.map(({ text }) => text).join('|'),
  ]);

describe('playback', () => {
  it('knows from when to when a line had a text', () => {
    const played = playback(
      [
        [0, 'o', 'one\n'],
        [0.1, 'o', 'tw'],
        [0.9, 'o', 'o\r\u001b[2Kthree\n'],
      ],
      size,
    );

    expect(textsOf(played)).toEqual([
      [0, '0.00', 'Infinity', 'one'],
      [1, '0.08', '0.88', 'tw'],
      [1, '0.88', 'Infinity', 'three'],
    ]);
    expect(played.scrolls).toEqual([
      { at: 0, above: 0 },
      { at: expect.closeTo(0.88), above: 1 },
    ]);
  });

  it('draws over lines above, breaks long ones, and keeps columns and styles apart', () => {
    const played = playback([[0, 'o', '1\n2\n\u001b[2A\u001b[31m1  b\u001b[39m\n\n12345678901']], size);

    expect(textsOf(played).map(([row, , , text]) => [row, text])).toEqual([
      [0, '1|b'],
      [1, '2'],
      [2, '1234567890'],
      [3, '1'],
    ]);
    expect(played.lines[0].parts[1]).toEqual({ column: 3, style: 'r', text: 'b' });
  });

  it('refuses what it does not know', () => {
    expect(() => playback([[0, 'o', '\u001b[3J']], size)).toThrow('not known here');
    expect(() => playback([[0, 'o', '\u001b[48m']], size)).toThrow('the style 48');
  });
});

describe('drawSvg', () => {
  it('shows the end where nothing moves', () => {
    const svg = drawSvg(
      playback(
        [
          [0, 'o', 'a < b'],
          [1, 'o', '\r\u001b[2K\u001b[1mc'],
        ],
        size,
      ),
      { ...size, title: 't' },
    );

    expect(svg).toMatch(/<text y="13.5" class="k\d h">.*a &lt; b/);
    expect(svg).toMatch(/<text y="13.5" class="k\d"><tspan x="0" class="b">c/);
  });
});

describe('the picture of the README', () => {
  it('is small, needs nothing from elsewhere and names no place of a machine', () => {
    const svg = readFileSync(new URL('../../docs/demo.svg', import.meta.url), 'utf8');

    expect(svg.length).toBeLessThan(150_000);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|href|<script|\/(home|root|tmp|Users)\//,
    );
    expect(svg).toContain('payment A1: already done, not repeated');
  });
});
