import { describe, expect, it } from 'vitest';
import { storeError } from './group-commit.ts';

describe('storeError', () => {
  it.each<[string, object]>([
    ['another connection has the lock', { errcode: 5 }],
    ['another connection recovers', { errcode: 261 }],
    ['the disk is full', { errcode: 13 }],
    ['the disk is full, says the system', { code: 'ENOSPC' }],
    ['too many files are open', { code: 'EMFILE' }],
  ])('may be tried again where %s', (_what, facts) => {
    const cause = Object.assign(new Error('no'), facts);

    expect(storeError(cause, 'write to x.db')).toMatchObject({ code: 'STORE_FAILED', retryable: true });
    expect(storeError(cause, 'write to x.db', { mayReturn: true })).not.toHaveProperty('retryable');
  });

  it.each<[string, object]>([
    ['the disk fails', { errcode: 10 }],
    ['the file is damaged', { errcode: 11 }],
    ['the file may not be written', { errcode: 8 }],
    ['nothing is known', {}],
  ])('is not known to be worth another try where %s', (_what, facts) => {
    const cause = Object.assign(new Error('no'), facts);

    expect(storeError(cause, 'write to x.db')).not.toHaveProperty('retryable');
  });
});
