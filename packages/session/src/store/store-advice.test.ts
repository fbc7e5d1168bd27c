import { describe, expect, it } from 'vitest';
import { storeError } from './group-commit.ts';

describe('the error of a store whose file fails', () => {
  it.each([
    [{ errcode: 13 }, /Free some space/],
    [{ errcode: 1544 }, /right to write/],
    [{ errcode: 1034 }, /disk may be failing/],
    [{ code: 'EMFILE' }, /raise the limit/],
    [{ code: 'EROFS' }, /name another place/],
  ])('says what to do about %o', (facts, advice) => {
    const error = storeError(Object.assign(new Error('It failed'), facts), 'write to x.db');

    expect(error).toMatchObject({ code: 'STORE_FAILED', message: expect.stringMatching(advice) });
  });

  it('says what has happened where nothing is known', () => {
    const error = storeError(new Error('It failed'), 'write to x.db');

    expect(error).toMatchObject({
      message: 'The session store could not write to x.db: It failed. Nothing of it was recorded.',
    });
  });
});
