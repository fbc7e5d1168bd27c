import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Rooms, sizeFor } from './rooms.ts';

describe('Rooms', () => {
  const count = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 10_000, max: 200_000 }) },
  );

  test.prop([fc.array(fc.tuple(count, fc.boolean()), { maxLength: 60, size: 'max' })])(
    'hands out rooms of which no two overlap, whatever was given back',
    (steps) => {
      const rooms = new Rooms();
      const taken: { readonly address: number; readonly size: number; readonly mark: number }[] = [];
      const ends = ({ address, size }: { readonly address: number; readonly size: number }) => {
        const { pool, start } = rooms.at(address);
        return [pool.length >= start + size, pool[start], pool[start + size - 1]];
      };
      for (const [index, [least, isBack]] of steps.entries()) {
        const back = isBack ? taken.splice(index % Math.max(1, taken.length), 1)[0] : undefined;
        if (back) rooms.give(back.address, back.size);
        const size = sizeFor(least);
        const address = rooms.take(size);
        const { pool, start } = rooms.at(address);
        pool.fill(index + 1, start, start + size);
        taken.push({ address, size, mark: index + 1 });
      }

      expect(taken.map(ends)).toEqual(taken.map(({ mark }) => [true, mark, mark]));
    },
  );

  it('gives a room again that came back, of any size, and the rest of a segment to smaller lists', () => {
    const rooms = new Rooms();
    const sizes = [1, 3, 6, 98_304];
    const first = sizes.map((size) => rooms.take(size));
    for (const [index, size] of sizes.entries()) rooms.give(first[index]!, size);

    expect(sizes.map((size) => rooms.take(size))).toEqual(first);

    const before = rooms.take(65_536); // it does not fit beside the others
    expect(rooms.take(49_152)).toBeLessThan(before);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 6],
    [7, 8],
    [9, 12],
    [13, 16],
    [65_537, 98_304],
    [98_305, 131_072],
  ])('has for %d entries rooms of %d', (entries, size) => {
    expect(sizeFor(entries)).toBe(size);
  });
});
