import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { paginate } from './paginate.ts';

describe('paginate', () => {
  const letters = ['a', 'b', 'c', 'd', 'e'];

  it('begins with page 1 and has 50 items a page', () => {
    const many = Array.from({ length: 120 }, (_, index) => index);

    expect(paginate(many)).toEqual({ items: many.slice(0, 50), page: 1, limit: 50, total: 120, totalPages: 3 });
    expect(paginate(many, { page: 3 }).items).toHaveLength(20);
  });

  it('answers a page past the end with no items and the right totals', () => {
    expect(paginate(letters, { page: 4, limit: 2 })).toEqual({ items: [], page: 4, limit: 2, total: 5, totalPages: 3 });
    expect(paginate([])).toEqual({ items: [], page: 1, limit: 50, total: 0, totalPages: 0 });
    expect(paginate(letters, { page: Number.MAX_SAFE_INTEGER, limit: 100 }).items).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, '1', null, 2 ** 60])('refuses page %j', (page) => {
    expect(() => paginate(letters, { page: page as number })).toThrow(expect.objectContaining({ field: 'page' }));
  });

  it.each([0, -1, 101, 1.5, Number.NaN, '', 'a'])('refuses limit %j', (limit) => {
    expect(() => paginate(letters, { limit: limit as number })).toThrow(expect.objectContaining({ field: 'limit' }));
  });

  it('refuses an option it does not know', () => {
    expect(() => paginate(letters, { pages: 1 } as never)).toThrow(ValidationError);
    expect(() => paginate(letters, null as never)).toThrow(ValidationError);
  });

  test.prop([fc.array(fc.integer(), { maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 100 })])(
    'has every item once, in order, over all its pages',
    (items, limit) => {
      const { totalPages } = paginate(items, { limit });
      const pages = Array.from({ length: totalPages + 1 }, (_, index) => paginate(items, { page: index + 1, limit }));

      expect(pages.flatMap((page) => page.items)).toEqual(items);
      expect(pages.at(-1)?.items).toEqual([]);
      expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([items.length]));
    },
  );
});
