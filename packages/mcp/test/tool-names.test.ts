import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { toolNameOf, toolNamesMayMeet } from '../src/definitions/tool-name.ts';
import { joined } from '../src/hub/joined-lists.ts';

const letters = fc.stringMatching(/^[a-b0]{1,18}$/);
/** Names of servers, as they are taken: pieces with a single _ or - between them. */
const server = fc.array(fc.tuple(letters, fc.constantFrom('_', '-')), { minLength: 1, maxLength: 5 }).map((pieces) =>
  pieces
    .map((piece) => piece.join(''))
    .join('')
    .slice(0, -1),
);
const tool = fc.string({ unit: fc.constantFrom('_', 'a', '0', '.', '-'), minLength: 1, maxLength: 70 });

describe('names of tools of different servers', () => {
  test.prop([server, server, tool, tool], { numRuns: 2_000 })(
    'meet only where it is looked for',
    (a, b, one, other) => {
      fc.pre(a !== b);
      const areEqual = toolNameOf(a, one) === toolNameOf(b, other);

      expect(areEqual && !(toolNamesMayMeet(a) && toolNamesMayMeet(b))).toBe(false);
    },
  );

  it('may meet from 49 letters of a server on: nothing of its tool is kept then but a hash', () => {
    expect([48, 49].map((length) => toolNamesMayMeet('s'.repeat(length)))).toEqual([false, true]);
  });
});

describe('joined', () => {
  const [one, two] = [Object.freeze([1]), Object.freeze([2, 3])];

  it('is one frozen list for the same frozen lists in one order, whatever empty ones are among them', () => {
    expect(joined([one, two])).toEqual([1, 2, 3]);
    expect(joined([[], one, two])).toBe(joined([one, two]));
    expect(Object.isFrozen(joined([one, two]))).toBe(true);
    expect(joined([two, one])).toEqual([2, 3, 1]);
    expect(joined([one])).toEqual([1]);
  });

  it('is remembered for the last four of a first list: servers that come and go fill no memory', () => {
    const before = joined([one, two]);
    const others = Array.from({ length: 4 }, (_, index) => Object.freeze([index]));

    for (const other of others.slice(1)) joined([one, other]);
    expect(joined([one, two])).toBe(before);
    joined([one, others[0]!]);

    expect(joined([one, two])).not.toBe(before);
    expect(joined([one, two])).toEqual(before);
  });

  it('is another list each time for one that may change', () => {
    const own = [4];

    expect(joined([one, own])).toEqual([1, 4]);
    expect(joined([one, own])).not.toBe(joined([one, own]));
    expect(Object.isFrozen(joined([one, own]))).toBe(false);
  });
});
