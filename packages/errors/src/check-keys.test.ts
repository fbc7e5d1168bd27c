import { describe, expect, it } from 'vitest';
import { checkKeys } from './check-keys.ts';

const check = (value: unknown) => () => checkKeys('Paging', value, ['page', 'limit']);

describe('checkKeys', () => {
  it.each([{}, { page: 1 }, { page: 1, limit: undefined }, Object.create(null), { [Symbol('mark')]: 1 }])(
    'takes %o',
    (value) => {
      expect(check(value)).not.toThrow();
    },
  );

  it('names the first key that is not known, the nearest that is, and all that are', () => {
    expect(check({ page: 1, limt: 2, offset: 3 })).toThrow(
      expect.objectContaining({
        name: 'ValidationError',
        code: 'VALIDATION_ERROR',
        field: 'limt',
        message: 'Paging: unknown limt; did you mean limit? Known: page, limit',
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])('knows no %s, which every object has', (key) => {
    expect(check(JSON.parse(`{"${key}":1}`))).toThrow(expect.objectContaining({ field: key }));
  });

  it('refuses an unknown key without a value: it would not be honoured with one', () => {
    expect(check({ offset: undefined })).toThrow(expect.objectContaining({ field: 'offset' }));
  });

  it.each([undefined, null, 'page', 7, () => 1, [], ['page'], new Map([['page', 1]]), new Set()])(
    'refuses %o: it has no named values',
    (value) => {
      expect(check(value)).toThrow(
        expect.objectContaining({
          name: 'ValidationError',
          message: expect.stringMatching(/^Paging must be an object, not /),
        }),
      );
    },
  );
});
