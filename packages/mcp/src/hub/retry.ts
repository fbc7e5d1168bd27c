import { backoffMs } from '@x/core/internal';
import type { McpReconnectOptions } from './types.ts';

/** Tries something again after a wait that grows, some times at most. */
export class Retry {
  readonly #options: Required<McpReconnectOptions>;
  readonly #act: () => void;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Required<McpReconnectOptions>, act: () => void) {
    this.#options = options;
    this.#act = act;
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins the next wait, unless there were enough. */
  later(): void {
    if (this.#timer || this.#attempts >= this.#options.attempts) return;
    this.#attempts += 1;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#act();
      },
      backoffMs(this.#attempts, this.#options),
    );
    this.#timer.unref(); // who waits for the outcome keeps Node alive
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Counts from the beginning again. */
  reset(): void {
    this.stop();
    this.#attempts = 0;
  }
}
