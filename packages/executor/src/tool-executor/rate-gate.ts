import { LONGEST_TIMER_MS } from '@x/core/internal';
import type { RateLimit } from './execution-options.ts';
import type { Gate, GateOptions } from './gate.ts';
import { limitReached, WaitLine } from './wait-line.ts';

/** Admits at most `limit` attempts in any window of time: a sliding window that stores every one of them. */
export class RateGate implements Gate {
  readonly #rate: RateLimit;
  readonly #options: GateOptions;
  readonly #line = new WaitLine();
  /** Times of the last `limit` admitted attempts, oldest first. */
  readonly #passed: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(rate: RateLimit, options: GateOptions) {
    this.#rate = rate;
    this.#options = options;
  }

  get idle(): boolean {
    this.#forget(performance.now());
    return this.#passed.length === 0 && this.#line.length === 0;
  }

  enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    const nowMs = performance.now();
    if (this.#mayPass(nowMs)) {
      this.#passed.push(nowMs);
      return undefined;
    }
    const { maxQueue, maxWait, name } = this.#options;
    const { limit, window } = this.#rate;
    const waitMs = this.#waitMs(nowMs);
    const what = `Too many calls of ${name}: ${limit} in ${window} ms are allowed`;
    if (this.#line.length >= maxQueue || waitMs > maxWait) throw limitReached(what, waitMs);
    this.#arm(nowMs);
    // Those ahead can only leave earlier, so nobody waits longer than estimated.
    return this.#line.wait({ signal, onGone: () => this.#rest() });
  }

  leave(): void {
    // An admitted attempt counts for the whole window, however soon it ends.
  }

  #mayPass(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#line.length === 0 && this.#passed.length < this.#rate.limit;
  }

  #forget(nowMs: number): void {
    const { window } = this.#rate;
    let over = 0;
    while (over < this.#passed.length && this.#passed[over]! + window <= nowMs) over++; // it is below the length
    if (over > 0) this.#passed.splice(0, over);
  }

  /** Milliseconds until one more attempt at the end of the line would be admitted. */
  #waitMs(nowMs: number): number {
    const { limit, window } = this.#rate;
    const ahead = this.#line.length;
    const before = this.#passed[ahead % limit] ?? nowMs;
    return before + window * (1 + Math.floor(ahead / limit)) - nowMs;
  }

  #arm(nowMs: number): void {
    const [oldest = nowMs] = this.#passed;
    const waitMs = Math.ceil(oldest + this.#rate.window - nowMs);
    this.#timer ??= setTimeout(() => this.#admit(), Math.min(waitMs, LONGEST_TIMER_MS));
  }

  /** Admits waiting attempts. A timer may fire early by a fraction of a millisecond; it is then set again. */
  #admit(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    this.#forget(nowMs);
    while (this.#passed.length < this.#rate.limit && this.#line.next()) this.#passed.push(nowMs);
    if (this.#line.length > 0) this.#arm(nowMs);
  }

  /** Clears the timer when nobody waits any more. */
  #rest(): void {
    if (this.#line.length > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
