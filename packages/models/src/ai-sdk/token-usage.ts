import type { TokenUsage } from '@x/core';
import { countOf, recordOf } from '../wire/json-values.ts';

/** A provider of version 2 that counts cached tokens beside its input. */
const COUNTS_APART = /anthropic/;

/** The tokens of a reply; undefined when its service has reported none. */
export function tokenUsage(usage: unknown, provider: string): TokenUsage | undefined {
  const whole = recordOf(usage);
  const input = recordOf(whole?.['inputTokens']);
  const output = recordOf(whole?.['outputTokens']);
  const reported = input
    ? {
        inputTokens: countOf(input, 'total'),
        outputTokens: countOf(output, 'total'),
        cacheReadTokens: countOf(input, 'cacheRead'),
        cacheWriteTokens: countOf(input, 'cacheWrite'),
        reasoningTokens: countOf(output, 'reasoning'),
      }
    : flatUsage(whole, provider);
  const { inputTokens, outputTokens, ...parts } = reported;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const known = Object.entries(parts).filter(([, count]) => count !== undefined);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...Object.fromEntries(known) };
}

/** Version 2. */
function flatUsage(whole: Readonly<Record<string, unknown>> | undefined, provider: string) {
  const input = countOf(whole, 'inputTokens');
  const cacheReadTokens = countOf(whole, 'cachedInputTokens');
  const apart = COUNTS_APART.test(provider) ? (cacheReadTokens ?? 0) : 0;
  return {
    inputTokens: input === undefined ? undefined : input + apart,
    outputTokens: countOf(whole, 'outputTokens'),
    cacheReadTokens,
    cacheWriteTokens: undefined,
    reasoningTokens: countOf(whole, 'reasoningTokens'),
  };
}
