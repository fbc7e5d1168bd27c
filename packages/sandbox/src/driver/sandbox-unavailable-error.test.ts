import { describe, expect, it } from 'vitest';
import { SandboxUnavailableError } from './sandbox-unavailable-error.ts';

describe('SandboxUnavailableError', () => {
  it('says for each driver why it cannot be used, to people and to programs', () => {
    const reasons = [
      { driver: 'bubblewrap', reason: 'bwrap is not installed' },
      { driver: 'seatbelt', reason: 'this is not macOS' },
    ];

    const error = new SandboxUnavailableError(reasons);

    expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', statusCode: 503, reasons });
    expect(error.message).toContain('bubblewrap: bwrap is not installed; seatbelt: this is not macOS');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ details: { reasons } });
  });
});
