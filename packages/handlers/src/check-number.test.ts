import { describe, expect, it } from 'vitest';
import { checkMs, checkWhole } from './check-number.ts';

describe('checkWhole', () => {
  it.each([0, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (value) => {
    expect(() => checkWhole(value, 'n', 1)).toThrow('n must be a whole number from 1');
  });

  it('takes the least one', () => {
    expect(() => checkWhole(1, 'n', 1)).not.toThrow();
  });
});

describe('checkMs', () => {
  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (value) => {
    expect(() => checkMs(value, 'n')).toThrow('n must be a number of milliseconds from 0');
  });

  it('takes 0', () => {
    expect(() => checkMs(0, 'n')).not.toThrow();
  });
});
