import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from './json-schema.ts';

const isMultiple = (value: number, multipleOf: number) => jsonSchema({ multipleOf }).check(value).issues === undefined;

describe('multipleOf', () => {
  it('is exact for every price of a shop', () => {
    const cents = jsonSchema({ multipleOf: 0.01 });
    const refused = Array.from({ length: 100_000 }, (_, at) => (at + 1) / 100).filter(
      (price) => cents.check(price).issues,
    );

    expect(refused).toEqual([]);
  });

  it.each<[number, number, boolean]>([
    [19.99, 0.01, true],
    [1234567.89, 0.01, true],
    [0.3, 0.1, true],
    [1.15, 0.05, true],
    [3e-7, 1e-7, true],
    [-4.35, 0.01, true],
    [0, 0.01, true],
    [1e308, 0.5, true],
    [1e21, 1, true],
    [1e-300, 1e-308, true],
    [9007199254740992, 3, false],
    [1e308, 0.123456789, false],
    [19.999, 0.01, false],
    [0.35, 0.1, false],
    [1, 1e308, false],
    [5e-324, 0.01, false],
  ])('%d of %d: %s', (value, multipleOf, expected) => {
    expect(isMultiple(value, multipleOf)).toBe(expected);
  });

  test.prop([
    fc.integer({ min: -10_000_000, max: 10_000_000 }),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 1, max: 500 }),
  ])('says of decimals what whole numbers say, and what zod says', (digits, places, step) => {
    const scale = 10 ** places;
    const [value, multipleOf] = [Number((digits / scale).toFixed(places)), Number((step / scale).toFixed(places))];

    expect(isMultiple(value, multipleOf)).toBe(digits % step === 0);
    expect(z.number().multipleOf(multipleOf).safeParse(value).success).toBe(digits % step === 0);
  });
});
