import { isRetryable, type Model, type ModelRequest } from '@x/core';
import { deadline, unlessAborted } from '@x/core/internal';
import type { ContextSize } from './estimate-tokens.ts';

/** An estimate may be wrong by this factor, either way: text that tokenizers split badly, or hardly at all. */
const DOUBT = 2;
/** As a fraction of the window: an estimate of less is not worth a request, whatever it is. */
const LEAST_PART = 0.01;
/** Milliseconds: a turn does not wait longer for better knowledge. */
const COUNT_MS = 5_000;

/** A question that a count may have to decide. */
export interface TokenQuestion {
  readonly model: Model;
  readonly size: ContextSize;
  /** Tokens from which the answer is another. */
  readonly limit: number;
  /** Tokens. */
  readonly window: number;
  /** The request to count, without its signal. */
  readonly request: () => Omit<ModelRequest, 'signal'>;
  readonly signal: AbortSignal;
}

/**
 * Tokens of a request, counted by the service of its model where an estimate cannot decide about a limit; else, and when the counting fails,
 * the estimate. A model whose counting has failed for good is not asked again.
 */
export class TokenCounter {
  readonly #unable = new WeakSet<Model>();

  async tokens(question: TokenQuestion): Promise<number> {
    const { model, size, signal } = question;
    const estimate = size.counted + size.estimated;
    const ask = model.countTokens?.bind(model);
    if (!ask || this.#unable.has(model) || !isNear(question)) return estimate;
    const time = deadline(signal, COUNT_MS);
    try {
      const tokens = await unlessAborted(() => ask({ ...question.request(), signal: time.signal }), time.signal);
      return Number.isFinite(tokens) ? tokens : estimate;
    } catch (failure) {
      if (time.expired || (!signal.aborted && !isRetryable(failure))) this.#unable.add(model);
      return estimate; // the history is judged by it where nobody counts, too
    } finally {
      time.clear();
    }
  }
}

/** True when even twice the estimated part does not reach the limit: no count can say anything else. */
export function isFarBelow({ counted, estimated }: ContextSize, limit: number): boolean {
  return counted + estimated * DOUBT < limit;
}

/** True when half or twice the estimated part is on the other side of the limit. */
function isNear({ size, limit, window }: TokenQuestion): boolean {
  const { counted, estimated } = size;
  if (estimated < window * LEAST_PART) return false;
  return counted + estimated / DOUBT < limit && !isFarBelow(size, limit);
}
