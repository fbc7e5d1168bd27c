import { AbortError, RateLimitError } from '@x/core';
import { LONGEST_TIMER_MS, onAbort } from '@x/core/internal';

/** Limits of a wait. */
export interface WaitOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds. Default: no limit. */
  readonly maxWait?: number;
  /** Creates the error of a wait that exceeded `maxWait`. */
  readonly tooLong?: () => RateLimitError;
  /** Called when one has left the line without being admitted. */
  readonly onGone?: () => void;
}

/** Waiting attempts, in the order of their arrival. */
export class WaitLine {
  /** Functions that admit one each. */
  readonly #waiting = new Set<() => void>();
  /** Kept between calls: a new iterator would rescan deleted entries. */
  readonly #order = this.#waiting.values();

  get length(): number {
    return this.#waiting.size;
  }

  /** @throws AbortError; the error of `tooLong`, after `maxWait` */
  wait({ signal, maxWait = Number.POSITIVE_INFINITY, tooLong, onGone }: WaitOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const close = () => {
        this.#waiting.delete(letIn);
        clearTimeout(timer);
        unlisten?.();
      };
      const letIn = () => {
        close();
        resolve();
      };
      const leave = (error: Error | undefined) => {
        close();
        onGone?.();
        reject(error);
      };
      const abort = () => leave(new AbortError());
      let unlisten: (() => void) | undefined;
      const isBounded = maxWait !== Number.POSITIVE_INFINITY;
      const timer = isBounded ? setTimeout(() => leave(tooLong?.()), Math.min(maxWait, LONGEST_TIMER_MS)) : undefined;
      this.#waiting.add(letIn);
      if (signal?.aborted) abort();
      else unlisten = signal && onAbort(signal, abort);
    });
  }

  /** Admits the first one; false when nobody waits. */
  next(): boolean {
    if (this.#waiting.size === 0) return false; // asked at its end, it would be at its end for ever
    this.#order.next().value?.();
    return true;
  }
}

/** The refusal at a limit. The seconds are whole, as in a `Retry-After` header (RFC 9110 10.2.3). */
export function limitReached(what: string, waitMs: number): RateLimitError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RateLimitError(`${what}; try again in ${seconds} s`, seconds);
}
