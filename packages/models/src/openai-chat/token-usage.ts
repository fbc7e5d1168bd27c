import type { TokenUsage } from '@x/core';
import { countOf, recordOf } from '../wire/json-values.ts';
import { toldCost } from './told-cost.ts';

type Counts = Readonly<Record<string, unknown>>;

/** The reported usage of a reply, once or in every chunk: the last report counts, earlier ones fill its gaps. */
export class ReportedUsage {
  #reported: Counts | undefined;

  /** Reads the first of the places that holds a report. */
  report(...places: readonly unknown[]): void {
    const report = places.map(recordOf).find((place) => place !== undefined);
    if (report && isFull(report)) this.#reported = report;
    else if (usageOf(report)) this.#reported = { ...this.#reported, ...given(report) };
  }

  usage(): TokenUsage | undefined {
    return usageOf(this.#reported);
  }

  /** US dollars, where the service tells them. */
  cost(): number | undefined {
    return toldCost(this.#reported);
  }
}

/** The usage in a chunk, or undefined when it is invalid. */
export function usageOf(reported: unknown): TokenUsage | undefined {
  const usage = recordOf(reported);
  const input = countOf(usage, 'prompt_tokens') ?? countOf(usage, 'input_tokens');
  const output = countOf(usage, 'completion_tokens') ?? countOf(usage, 'output_tokens');
  if (!usage || (input === undefined && output === undefined)) return undefined;
  const cacheReadTokens = largest(usage, CACHE_READ);
  const cacheWriteTokens = largest(usage, CACHE_WRITE);
  const reasoningTokens = largest(usage, REASONING);
  const [read, written] = [cacheReadTokens ?? 0, cacheWriteTokens ?? 0];
  // OpenRouter reports tokens as read and as written too; the total says that both are part of the prompt
  const isTotal = input !== undefined && countOf(usage, 'total_tokens') === input + (output ?? 0);
  const most = isTotal ? Math.max(read, written) : read + written;
  const inputTokens = (input ?? 0) + (most > (input ?? 0) || isCacheApart(usage) ? read + written : 0);
  const outputTokens =
    (output ?? 0) + apart(usage, { input: input ?? 0, output: output ?? 0, reasoning: reasoningTokens ?? 0 });
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}

/** A field, or one inside another. */
type Place = readonly [field: string, inner?: string];

/** OpenAI and most; DeepSeek; Moonshot; LiteLLM. */
const CACHE_READ: readonly Place[] = [
  ['prompt_tokens_details', 'cached_tokens'],
  ['input_tokens_details', 'cached_tokens'],
  ['prompt_cache_hit_tokens'],
  ['cached_tokens'],
  ['cache_read_input_tokens'],
];
/** OpenRouter; LiteLLM. */
const CACHE_WRITE: readonly Place[] = [
  ['prompt_tokens_details', 'cache_write_tokens'],
  ['prompt_tokens_details', 'cache_creation_tokens'],
  ['cache_creation_input_tokens'],
  ['cache_write_tokens'],
  ['cache_creation_tokens'],
];
const REASONING: readonly Place[] = [
  ['completion_tokens_details', 'reasoning_tokens'],
  ['output_tokens_details', 'reasoning_tokens'],
  ['reasoning_tokens'],
];

/** The largest of the counts: services that report one twice may leave the other at zero. */
function largest(usage: Counts, places: readonly Place[]): number | undefined {
  let most: number | undefined;
  for (const place of places) {
    if (usage[place[0]] === undefined) continue; // nearly always
    const [field, inner] = place;
    const count = inner === undefined ? countOf(usage, field) : countOf(recordOf(usage[field]), inner);
    if (count !== undefined && (most === undefined || count > most)) most = count;
  }
  return most;
}

/**
 * True when cached tokens are counted separately, as with Anthropic's field names. More cached tokens than input tokens, which is checked
 * elsewhere, means the same.
 */
function isCacheApart(usage: Counts): boolean {
  if (countOf(usage, 'prompt_tokens') !== undefined) return false;
  return ['cache_read_input_tokens', 'cache_creation_input_tokens'].some((name) => countOf(usage, name) !== undefined);
}

/** Thinking tokens that a service (xAI) does not count as part of its reply, computed from its total. */
function apart(
  usage: Counts,
  { input, output, reasoning }: { input: number; output: number; reasoning: number },
): number {
  return reasoning > output || countOf(usage, 'total_tokens') === input + output + reasoning ? reasoning : 0;
}

function given(report: Counts | undefined): Counts {
  return Object.fromEntries(Object.entries(report ?? {}).filter(([, value]) => value !== null));
}

function isFull(usage: Counts): boolean {
  const has = (one: string, other: string) => (countOf(usage, one) ?? countOf(usage, other)) !== undefined;
  return has('prompt_tokens', 'input_tokens') && has('completion_tokens', 'output_tokens');
}
