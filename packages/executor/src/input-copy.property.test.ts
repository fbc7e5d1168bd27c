import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { copyOf, isLike } from './input-copy.ts';

/** Writes one thing into a value, at the end of a path chosen by `dice`; false when there is no place for it. */
function write(value: unknown, dice: readonly number[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  const key = keys[(dice[0] ?? 0) % Math.max(keys.length, 1)];
  if (key !== undefined && write(record[key], dice.slice(1))) return true;
  if (Array.isArray(value) && key === undefined) value.push(1);
  else if (key === undefined) record['added'] = 1;
  else record[key] = Symbol('another');
  return true;
}

describe('isLike', () => {
  test.prop([fc.jsonValue()])('holds for a value and its copy', (value) => {
    expect(isLike(value, copyOf(value))).toBe(true);
    expect(copyOf(value)).toEqual(value);
  });

  test.prop([fc.jsonValue(), fc.array(fc.nat(5))])(
    'finds any one thing that was written into the value',
    (value, dice) => {
      const copy = copyOf(value);

      const written = write(value, dice);

      expect(isLike(value, copy)).toBe(!written);
    },
  );

  it.each([
    ['a key taken away', { a: 1, b: 2 }, { a: 1 }],
    ['a key in place of another', { a: undefined }, { b: undefined }],
    ['a shorter list', [1], [1, 2]],
    ['a list in place of an object', { 0: 1 }, [1]],
    ['an object in place of a list', [1], { 0: 1 }],
    ['an object in place of nothing', { a: 1 }, null],
  ])('sees %s', (_, value, copy) => {
    expect(isLike(value, copy)).toBe(false);
  });

  it('shares what is neither an object nor a list', () => {
    const when = new Date(0);

    expect(copyOf({ when })).toEqual({ when });
    expect(isLike({ when }, copyOf({ when }))).toBe(true);
    expect(isLike({ when: new Date(0) }, copyOf({ when }))).toBe(false);
  });
});
