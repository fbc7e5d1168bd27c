import type { TokenUsage } from '@x/core';
import { recordOf } from '../wire/json-values.ts';

/** The counts that matter, unchecked. */
interface WireUsage {
  readonly promptTokenCount?: unknown;
  readonly toolUsePromptTokenCount?: unknown;
  readonly candidatesTokenCount?: unknown;
  readonly thoughtsTokenCount?: unknown;
  readonly cachedContentTokenCount?: unknown;
}

/** The `usageMetadata` of a reply: every chunk has the counts so far, and the last one of each field counts. */
export class TokenTally {
  #prompt: number | undefined;
  #toolUse: number | undefined;
  #said: number | undefined;
  #thoughts: number | undefined;
  #cached: number | undefined;

  /** Adds a report; true when it has new counts. Written field by field, because it is called for every chunk. */
  add(reported: unknown): boolean {
    const usage: WireUsage | undefined = recordOf(reported);
    if (!usage) return false;
    const prompt = later(usage.promptTokenCount, this.#prompt);
    const toolUse = later(usage.toolUsePromptTokenCount, this.#toolUse);
    const said = later(usage.candidatesTokenCount, this.#said);
    const thoughts = later(usage.thoughtsTokenCount, this.#thoughts);
    const cached = later(usage.cachedContentTokenCount, this.#cached);
    const isKnown = said === this.#said && thoughts === this.#thoughts && prompt === this.#prompt;
    if (isKnown && toolUse === this.#toolUse && cached === this.#cached) return false;
    this.#prompt = prompt;
    this.#toolUse = toolUse;
    this.#said = said;
    this.#thoughts = thoughts;
    this.#cached = cached;
    return true;
  }

  /** Undefined when nothing was reported. Thoughts, and input of the service's own tools, are counted separately. */
  usage(): TokenUsage | undefined {
    if (this.#prompt === undefined && this.#said === undefined && this.#thoughts === undefined) return undefined;
    const inputTokens = (this.#prompt ?? 0) + (this.#toolUse ?? 0);
    const outputTokens = (this.#said ?? 0) + (this.#thoughts ?? 0);
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...(this.#cached === undefined ? {} : { cacheReadTokens: this.#cached }),
      ...(this.#thoughts === undefined ? {} : { reasoningTokens: this.#thoughts }),
    };
  }
}

function later(value: unknown, before: number | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : before;
}
