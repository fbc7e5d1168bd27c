import { describe, expect, it } from 'vitest';
import { rateLimitsIn } from './rate-limits.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const limitsOf = (headers: Readonly<Record<string, string>>) => rateLimitsIn(Object.entries(headers), NOW);
const resetIn = (text: string) => limitsOf({ 'x-ratelimit-reset-tokens': text })?.tokens?.resetAt;

describe('rateLimitsIn', () => {
  it('reads those of OpenAI and the services that follow it', () => {
    const limits = limitsOf({
      'x-ratelimit-limit-requests': '5000',
      'x-ratelimit-remaining-requests': '4999',
      'x-ratelimit-reset-requests': '12ms',
      'x-ratelimit-limit-tokens': '800000',
      'x-ratelimit-remaining-tokens': '799990',
      'x-ratelimit-reset-tokens': '6m0s',
    });

    expect(limits).toEqual({
      requests: { limit: 5000, remaining: 4999, resetAt: '2026-01-01T00:00:00.012Z' },
      tokens: { limit: 800_000, remaining: 799_990, resetAt: '2026-01-01T00:06:00.000Z' },
    });
  });

  it('reads those of Anthropic', () => {
    const of = (kind: string) => ({
      [`anthropic-ratelimit-${kind}-limit`]: '1000',
      [`anthropic-ratelimit-${kind}-remaining`]: '0',
      [`anthropic-ratelimit-${kind}-reset`]: '2026-01-01T00:00:30Z',
    });
    const limit = { limit: 1000, remaining: 0, resetAt: '2026-01-01T00:00:30.000Z' };

    const limits = limitsOf({ ...of('requests'), ...of('tokens'), ...of('input-tokens'), ...of('output-tokens') });

    expect(limits).toEqual({ requests: limit, tokens: limit, inputTokens: limit, outputTokens: limit });
  });

  it('takes the shortest of several windows, whatever their order', () => {
    const headers: readonly (readonly [string, string])[] = [
      ['x-ratelimit-limit-tokens-day', '1000000'],
      ['x-ratelimit-remaining-tokens-day', '900000'],
      ['x-ratelimit-limit-tokens-minute', '60000'],
      ['x-ratelimit-reset-tokens-minute', '26.5'],
      ['x-ratelimit-limit-requests-day', '14400'],
      ['x-ratelimit-remaining-req-minute', '7'],
    ];
    const limits = {
      tokens: { limit: 60_000, resetAt: '2026-01-01T00:00:26.500Z' },
      requests: { remaining: 7 },
    };

    expect(rateLimitsIn(headers, NOW)).toEqual(limits);
    expect(rateLimitsIn(headers.toReversed(), NOW)).toEqual(limits);
  });

  it.each([
    ['1s', '2026-01-01T00:00:01.000Z'],
    ['7.66s', '2026-01-01T00:00:07.660Z'],
    ['1h2m3s', '2026-01-01T01:02:03.000Z'],
    ['2m59.5s', '2026-01-01T00:02:59.500Z'],
    ['8h', '2026-01-01T08:00:00.000Z'],
    ['60', '2026-01-01T00:01:00.000Z'],
    ['1767225660', '2026-01-01T00:01:00.000Z'],
    ['1767225660000', '2026-01-01T00:01:00.000Z'],
    ['2026-01-01T00:01:00+00:00', '2026-01-01T00:01:00.000Z'],
  ])('reads when a limit is whole again: %s', (text, at) => {
    expect(resetIn(text)).toBe(at);
  });

  it.each(['', 'soon', '-1', '1d', 's', '1s2m', '9'.repeat(16), '2026-13-01T00:00:00Z', '1e9', '0x10', 'NaN'])(
    'leaves out what it cannot read: %j',
    (text) => {
      expect(resetIn(text)).toBeUndefined();
      expect(limitsOf({ 'x-ratelimit-limit-tokens': text })).toBeUndefined();
    },
  );

  it.each([
    {},
    { 'x-ratelimit-limit': '60' },
    { 'x-ratelimit-limit-connections': '60' },
    { 'x-ratelimit-limit-constructor': '1', 'anthropic-ratelimit-unified-remaining': '1' },
    { 'x-x-ratelimit-limit-tokens': '60' },
  ])('is undefined without a header that says what it counts: %o', (headers) => {
    expect(limitsOf(headers)).toBeUndefined();
  });
});
