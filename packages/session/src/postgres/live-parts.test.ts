import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { channelOf, Gathering, partsOf } from './live-parts.ts';

/** Longer than a part, with characters of one to four bytes. */
const text = fc
  .tuple(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('a', '\u20ac', '\u{1f600}', 'b\u{1f600}'),
    fc.nat(6_000),
  )
  .map(([begin, unit, times]) => begin + unit.repeat(times));

describe('parts of a text', () => {
  test.prop([fc.array(text, { maxLength: 4 })])(
    'fit into a notification, hold whole characters, and make the text again',
    (texts) => {
      const gathering = new Gathering();

      const made = texts.map((one, number) => {
        const parts = partsOf(one).map((part) => `me.${number} ${part}`);
        expect(Math.max(0, ...parts.map((part) => Buffer.byteLength(part)))).toBeLessThan(7_950);
        expect(parts.every((part) => part.isWellFormed())).toBe(one.isWellFormed() || parts.length === 0);
        return parts.map((part) => gathering.add(part)).filter((whole) => whole !== undefined);
      });

      expect(made).toEqual(texts.map((one) => (one === '' ? [] : [one])));
    },
  );

  it('make nothing without one of them, nor with one of another text', () => {
    const long = 'x'.repeat(6_000);
    const ways = [
      ([a, , c]: string[]) => [`me.1 ${a}`, `me.1 ${c}`],
      ([, b, c]: string[]) => [`me.1 ${b}`, `me.1 ${c}`],
      ([a, b, c]: string[]) => [`me.1 ${a}`, `me.2 ${b}`, `me.1 ${c}`],
      () => ['', 'me.1', 'me.1 0 x', 'me.1 0 65 x', 'me.1 -1 1 x'],
    ];

    const made = ways.map((way) => {
      const gathering = new Gathering();
      return way(partsOf(long)).map((part) => gathering.add(part));
    });

    expect(made.flat().filter((whole) => whole !== undefined)).toEqual([]);
  });
});

describe('the channel of a session', () => {
  it('is one that Postgres takes as it is, another for each session and schema', () => {
    const channels = ['', 's1', 's2'].flatMap((id) => ['a', 'b'].map((schema) => channelOf(schema, id)));

    expect(new Set(channels).size).toBe(6);
    expect(channels.every((channel) => /^[a-z][a-z\d_]{0,62}$/.test(channel))).toBe(true);
  });
});
