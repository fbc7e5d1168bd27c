import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { Levels } from './levels.ts';

describe('Levels', () => {
  const value = fc.integer({ min: 0, max: 5_000_000 });
  const levels = new Levels();

  test.prop([fc.array(value, { minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 300 })])(
    'finds what at least so many reach, and less than a level more would not',
    (values, count) => {
      const highest = Math.max(...values);
      levels.begin(highest);
      for (const one of values) levels.add(one);
      const least = levels.reachedBy(count);
      const reaching = (limit: number) => values.filter((one) => one >= limit).length;

      if (least > 0) expect(reaching(least - 1e-6)).toBeGreaterThanOrEqual(count);
      expect(reaching(least + highest / 127 + 1e-6)).toBeLessThan(count);
      expect(least).toBeLessThanOrEqual(highest);
    },
  );
});
