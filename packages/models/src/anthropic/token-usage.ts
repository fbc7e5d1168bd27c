import type { TokenUsage } from '@x/core';
import { countOf, recordOf } from '../wire/json-values.ts';

const FIELDS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

/** Collects the usage reports of a stream. The reports are totals: a count replaces the one before, a missing one stays. */
export class UsageReports {
  readonly #counts = new Map<(typeof FIELDS)[number], number>();
  #thinking: number | undefined;
  /** Of the last report that lists them. */
  #compactions: readonly unknown[] = [];

  read(reported: unknown): void {
    const usage = recordOf(reported);
    for (const field of FIELDS) {
      const count = countOf(usage, field);
      if (count !== undefined) this.#counts.set(field, count);
    }
    const iterations = usage?.['iterations'];
    if (Array.isArray(iterations)) this.#compactions = iterations.filter(isCompaction);
    this.#thinking = countOf(recordOf(usage?.['output_tokens_details']), 'thinking_tokens') ?? this.#thinking;
  }

  /** Undefined when nothing was reported. */
  total(): TokenUsage | undefined {
    const [input, output, cacheReadTokens, cacheWriteTokens] = FIELDS.map((field) => this.#countOf(field));
    if (this.#counts.size === 0) return undefined;
    // the service counts tokens read from or written to its cache separately
    const inputTokens = (input ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
    const outputTokens = output ?? 0;
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
      ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
      ...(this.#thinking === undefined ? {} : { reasoningTokens: this.#thinking }),
    };
  }

  /** The totals leave out what the service's own compaction has cost (platform.claude.com, "Compaction", on `usage.iterations`). */
  #countOf(field: (typeof FIELDS)[number]): number | undefined {
    const counts = [this.#counts.get(field), ...this.#compactions.map((one) => countOf(recordOf(one), field))];
    const known = counts.filter((count) => count !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
  }
}

function isCompaction(iteration: unknown): boolean {
  return recordOf(iteration)?.['type'] === 'compaction';
}
