import { AbortError, TimeoutError } from '@x/core';
import { LONGEST_TIMER_MS, onAbort } from '@x/core/internal';
import type { Work } from './executable.ts';
import type { ExecutionLog } from './execution-log.ts';
import type { LateSettlement } from './late-settlement.ts';

/** Options and listeners of one attempt. */
export interface AttemptOptions {
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Milliseconds; `Infinity` for no limit. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Called when the work has ended, even after the attempt. Must not throw. */
  readonly onEnd: (() => void) | undefined;
  /** Called when the work has ended after the attempt. Must not throw. */
  readonly onLate: ((settlement: LateSettlement) => void) | undefined;
  readonly log: ExecutionLog | undefined;
}

/** Runs the work once. Ends at the timeout and at the abort, even when the work ignores both. @throws TimeoutError, AbortError */
export function tryOnce(work: Work, options: AttemptOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    new Attempt(options, { resolve, reject }).begin(work);
  });
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

class Attempt {
  readonly #options: AttemptOptions;
  readonly #waiting: Waiting;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #givenUp: { readonly reason: LateSettlement['givenUpFor']; readonly atMs: number } | undefined;

  constructor(options: AttemptOptions, waiting: Waiting) {
    this.#options = options;
    this.#waiting = waiting;
  }

  begin(work: Work): void {
    const { attempt, idempotencyKey } = this.#options;
    let value: unknown;
    try {
      value = work.run({ signal: this.#controller.signal, idempotencyKey, attempt });
    } catch (error) {
      this.#rejected(error);
      return;
    }
    if (typeof value !== 'object' && typeof value !== 'function') {
      this.#fulfilled(value);
      return;
    }
    this.#watch(); // only what takes its time; Node counts from the beginning of this turn of its loop
    void this.#follow(value); // it does not throw
  }

  /** Awaits, instead of calling `then`: a thenable may call back twice, or throw. */
  async #follow(value: unknown): Promise<void> {
    let settled: unknown;
    try {
      settled = await value;
    } catch (error) {
      this.#rejected(error);
      return;
    }
    this.#fulfilled(settled);
  }

  #watch(): void {
    const { timeout, signal } = this.#options;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    if (timeout !== Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(() => this.#onTimeout(), Math.min(timeout, LONGEST_TIMER_MS));
    }
    if (signal) this.#unlisten = onAbort(signal, () => this.#onAbort());
  }

  #onAbort(): void {
    this.#giveUp('abort', new AbortError(), this.#options.signal?.reason);
  }

  #onTimeout(): void {
    const { timeout, attempt, log } = this.#options;
    log?.timeout(attempt, timeout);
    const error = new TimeoutError(`Execution timeout after ${timeout}ms`, timeout);
    this.#giveUp('timeout', error, error);
  }

  /** Settles for the caller before the work is aborted, whose answer to the signal then is late. */
  #giveUp(reason: LateSettlement['givenUpFor'], error: Error, reasonForWork: unknown): void {
    this.#close();
    this.#givenUp = { reason, atMs: performance.now() };
    this.#waiting.reject(error);
    this.#controller.abort(reasonForWork);
  }

  #fulfilled(value: unknown): void {
    if (this.#givenUp) this.#endLate({ status: 'fulfilled', value });
    else this.#close();
    this.#options.onEnd?.();
    this.#waiting.resolve(value);
  }

  #rejected(reason: unknown): void {
    if (this.#givenUp) this.#endLate({ status: 'rejected', reason });
    else this.#close();
    this.#options.onEnd?.();
    this.#waiting.reject(reason);
  }

  #endLate(outcome: PromiseSettledResult<unknown>): void {
    if (!this.#givenUp) return;
    const { attempt, idempotencyKey, onLate } = this.#options;
    const { reason, atMs } = this.#givenUp;
    onLate?.({ attempt, idempotencyKey, givenUpFor: reason, outcome, afterMs: performance.now() - atMs });
  }

  #close(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#unlisten?.();
  }
}
