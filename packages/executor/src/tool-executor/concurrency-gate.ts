import type { RateLimitError } from '@x/core';
import type { Gate, GateOptions } from './gate.ts';
import { limitReached, WaitLine } from './wait-line.ts';

/** Weight of the newest duration in the moving average. */
const NEWEST = 0.2;

/** Admits a number of concurrent attempts. */
export class ConcurrencyGate implements Gate {
  readonly #limit: number;
  readonly #options: GateOptions;
  readonly #line = new WaitLine();
  #inside = 0;
  /** Moving average of the time between two attempts that leave. */
  #pauseMs = 0;
  #leftAtMs: number | undefined;

  constructor(limit: number, options: GateOptions) {
    this.#limit = limit;
    this.#options = options;
  }

  get idle(): boolean {
    return this.#inside === 0;
  }

  enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#inside < this.#limit) {
      this.#inside++;
      return undefined;
    }
    const { maxQueue, maxWait, name } = this.#options;
    if (this.#line.length >= maxQueue) {
      throw this.#refusal(`Too many calls of ${name}: ${this.#limit} run and ${maxQueue} wait`);
    }
    const tooLong = () => this.#refusal(`A call of ${name} has waited ${maxWait} ms for one of ${this.#limit} to end`);
    return this.#line.wait({ signal, maxWait, tooLong });
  }

  /** Passes the place to the first that waits. */
  leave(): void {
    const nowMs = performance.now();
    if (this.#leftAtMs !== undefined) this.#pauseMs += NEWEST * (nowMs - this.#leftAtMs - this.#pauseMs);
    this.#leftAtMs = nowMs;
    if (!this.#line.next()) this.#inside--;
    if (this.idle) this.#leftAtMs = undefined; // a time without calls says nothing about their pace
  }

  #refusal(what: string): RateLimitError {
    return limitReached(what, this.#pauseMs * (this.#line.length + 1));
  }
}
