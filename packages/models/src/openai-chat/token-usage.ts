import type { TokenUsage } from '@x/core';
import { countOf, recordOf } from '../wire/untrusted.ts';

/** The `usage` of a chunk, or nothing when it is not one. */
export function usageOf(reported: unknown): TokenUsage | undefined {
  const usage = recordOf(reported);
  const input = countOf(usage, 'prompt_tokens');
  const output = countOf(usage, 'completion_tokens');
  if (input === undefined && output === undefined) return undefined;
  const cacheReadTokens = countOf(recordOf(usage?.['prompt_tokens_details']), 'cached_tokens');
  const reasoningTokens = countOf(recordOf(usage?.['completion_tokens_details']), 'reasoning_tokens');
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: (input ?? 0) + (output ?? 0),
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}
