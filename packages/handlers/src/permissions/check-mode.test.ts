import { describe, expect, it } from 'vitest';
import { checkMode } from './permission-handler.ts';

describe('checkMode', () => {
  it.each(['default', 'acceptEdits', 'plan', 'bypassPermissions'])('takes %s', (mode) => {
    expect(checkMode(mode)).toBe(mode);
  });

  it.each(['', 'Default', 'bypass', 'acceptedits', 'toString', undefined, null, 7, ['plan']])('refuses %j', (mode) => {
    expect(() => checkMode(mode)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'permissionMode' }),
    );
  });
});
