import { describe, expect, it } from 'vitest';
import { ReportedUsage, usageOf } from './token-usage.ts';

const counts = { prompt_tokens: 120, completion_tokens: 34 };
const plain = { inputTokens: 120, outputTokens: 34, totalTokens: 154 };

describe('usageOf', () => {
  it.each([
    ['OpenAI', { ...counts, prompt_tokens_details: { cached_tokens: 64 } }, { cacheReadTokens: 64 }],
    ['DeepSeek', { ...counts, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 56 }, { cacheReadTokens: 64 }],
    ['Moonshot', { ...counts, cached_tokens: 64 }, { cacheReadTokens: 64 }],
    [
      'a service that says it twice',
      { ...counts, cached_tokens: 64, prompt_tokens_details: { cached_tokens: 0 } },
      { cacheReadTokens: 64 },
    ],
    ['OpenRouter', { ...counts, cost: 1, prompt_tokens_details: { cache_write_tokens: 32 } }, { cacheWriteTokens: 32 }],
    [
      'LiteLLM',
      { ...counts, cache_creation_input_tokens: 32, cache_read_input_tokens: 64 },
      { cacheReadTokens: 64, cacheWriteTokens: 32 },
    ],
    ['a thinking model', { ...counts, completion_tokens_details: { reasoning_tokens: 8 } }, { reasoningTokens: 8 }],
    [
      'names of the responses API',
      { input_tokens: 120, output_tokens: 34, output_tokens_details: { reasoning_tokens: 8 } },
      { reasoningTokens: 8 },
    ],
    ['no details', { ...counts, prompt_tokens_details: null, completion_tokens_details: null, total_tokens: null }, {}],
  ])('reads what %s reports', (_, reported, more) => {
    expect(usageOf(reported)).toEqual({ ...plain, ...more });
  });

  it('counts thinking that the service has counted apart', () => {
    const reasoning = { completion_tokens_details: { reasoning_tokens: 300 } };
    const thinking = { inputTokens: 120, outputTokens: 334, totalTokens: 454, reasoningTokens: 300 };

    expect(usageOf({ ...counts, ...reasoning, total_tokens: 454 })).toEqual(thinking);
    expect(usageOf({ ...counts, ...reasoning })).toEqual(thinking);
    expect(usageOf({ ...counts, completion_tokens_details: { reasoning_tokens: 4 }, total_tokens: 158 })).toMatchObject(
      { outputTokens: 38 },
    );
  });

  it("counts cached tokens that the service has counted apart, as Anthropic's names do", () => {
    expect(
      usageOf({ input_tokens: 24, output_tokens: 34, cache_read_input_tokens: 64, cache_creation_input_tokens: 32 }),
    ).toEqual({
      ...plain,
      cacheReadTokens: 64,
      cacheWriteTokens: 32,
    });
    expect(usageOf({ prompt_tokens: 20, completion_tokens: 34, cached_tokens: 100 })).toEqual({
      ...plain,
      cacheReadTokens: 100,
    });
  });

  it.each([undefined, null, 7, 'x', {}, { prompt_tokens: '7' }, { total_tokens: 7 }])(
    'finds no usage in %j',
    (reported) => {
      expect(usageOf(reported)).toBeUndefined();
    },
  );
});

describe('ReportedUsage', () => {
  it('takes the last report, wherever it stands', () => {
    const usage = new ReportedUsage();

    usage.report({ prompt_tokens: 120, completion_tokens: 0 }, undefined);
    usage.report(null, counts);
    usage.report(null, undefined);

    expect(usage.usage()).toEqual(plain);
  });

  it('joins reports that are halves', () => {
    const usage = new ReportedUsage();

    usage.report({ prompt_tokens: 120, completion_tokens: null });
    usage.report({ prompt_tokens: null, completion_tokens: 34 });

    expect(usage.usage()).toEqual(plain);
  });

  it('has nothing when nothing was reported', () => {
    expect(new ReportedUsage().usage()).toBeUndefined();
  });
});
