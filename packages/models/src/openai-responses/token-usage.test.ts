import { describe, expect, it } from 'vitest';
import { usageOf } from './token-usage.ts';

describe('usageOf', () => {
  it.each([
    [
      { input_tokens: 3, output_tokens: 4 },
      { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    ],
    [{ input_tokens: 3 }, { inputTokens: 3, outputTokens: 0, totalTokens: 3 }],
    [{ output_tokens: 4 }, { inputTokens: 0, outputTokens: 4, totalTokens: 4 }],
    [
      { prompt_tokens: 3, completion_tokens: 4 },
      { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    ],
    [
      {
        input_tokens: 9,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
        output_tokens_details: { reasoning_tokens: 4 },
      },
      { inputTokens: 9, outputTokens: 5, totalTokens: 14, cacheReadTokens: 2, cacheWriteTokens: 1, reasoningTokens: 4 },
    ],
  ])('reads %o', (reported, usage) => {
    expect(usageOf(reported)).toEqual(usage);
  });

  it.each([[undefined], [null], ['many'], [{}], [{ input_tokens: 'three' }]])('is undefined for %o', (reported) => {
    expect(usageOf(reported)).toBeUndefined();
  });
});
