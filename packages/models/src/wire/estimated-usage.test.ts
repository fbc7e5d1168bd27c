import { userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { estimatedUsage } from './estimated-usage.ts';

describe('estimatedUsage()', () => {
  it('counts pictures, links and files', () => {
    const { signal } = new AbortController();
    const asked = (...content: Parameters<typeof userMessage>[0][]) => {
      const messages = content.map((one) => userMessage(one));
      return estimatedUsage({ instruction: '', messages, tools: [], signal }, []).inputTokens;
    };

    expect(asked('four')).toBe(1);
    expect(asked([{ type: 'image', mediaType: 'image/png', data: 'AAAA' }])).toBe(1_000);
    expect(asked([{ type: 'link', mediaType: 'application/pdf', url: 'https://example.com' }])).toBe(1_000);
    expect(asked([{ type: 'file', mediaType: 'application/pdf', data: 'A'.repeat(6_000) }])).toBe(1_100);
  });
});
