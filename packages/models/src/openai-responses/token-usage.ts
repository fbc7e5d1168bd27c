import type { TokenUsage } from '@x/core';
import { usageOf as chatUsageOf } from '../openai-chat/token-usage.ts';
import { countOf, recordOf } from '../wire/json-values.ts';

/** The usage in a response, or undefined when it is invalid. Gateways in front of chat completions keep those field names. */
export function usageOf(reported: unknown): TokenUsage | undefined {
  const usage = recordOf(reported);
  const input = countOf(usage, 'input_tokens');
  const output = countOf(usage, 'output_tokens');
  if (input === undefined && output === undefined) return chatUsageOf(reported);
  const inputDetails = recordOf(usage?.['input_tokens_details']);
  const cacheReadTokens = countOf(inputDetails, 'cached_tokens');
  const cacheWriteTokens = countOf(inputDetails, 'cache_write_tokens');
  const reasoningTokens = countOf(recordOf(usage?.['output_tokens_details']), 'reasoning_tokens');
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    totalTokens: (input ?? 0) + (output ?? 0),
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}
