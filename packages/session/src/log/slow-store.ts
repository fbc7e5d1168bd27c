import { isAgentError, sleep } from '@x/core';

/** Average milliseconds between two tries; less when the try itself has taken longer, as when the store waits for a lock. */
const PAUSE_MS = 1_000;
/** Milliseconds. */
const READ_MS = 30_000;

/** Limits of the wait for a slow store. */
export interface Patience {
  /** The time by `performance.now()` after which nothing is retried; it may move. */
  readonly until: () => number;
  /** Once aborted, nothing is retried. */
  readonly signal?: AbortSignal | undefined;
  readonly stretch?: SlowStretch | undefined;
  /** Selects errors to wait out. Default: those that are `retryable`. */
  readonly isSlow?: (error: unknown) => boolean;
}

/** A time during which something waits for the store. */
export class SlowStretch {
  readonly #onBegun: (error: unknown) => void;
  #waiting = 0;

  /** `onBegun` is called with the first failure of each stretch. */
  constructor(onBegun: (error: unknown) => void) {
    this.#onBegun = onBegun;
  }

  begin(error: unknown): void {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#onBegun(error);
  }

  end(): void {
    this.#waiting -= 1;
  }
}

/** True when the store guarantees that nothing was recorded and the same call may be tried again. */
export function isRetryable(error: unknown): boolean {
  return isAgentError(error) && error.retryable === true;
}

/**
 * Calls `act`, about every second while it fails and the patience lasts; then rejects with the last error. A call under way is awaited,
 * also after an abort.
 */
export async function whileSlow<T>(act: () => Promise<T>, patience: Patience): Promise<T> {
  const { until, signal, stretch, isSlow = isRetryable } = patience;
  let hasWaited = false;
  try {
    for (;;) {
      const startedAt = performance.now();
      try {
        return await act();
      } catch (error) {
        if (!isSlow(error)) throw error;
        if (!hasWaited) stretch?.begin(error);
        hasWaited = true;
        const pauseMs = PAUSE_MS * (0.5 + Math.random()) + startedAt - performance.now();
        if (performance.now() >= until() || !(await paused(pauseMs, signal))) throw error;
      }
    }
  } finally {
    if (hasWaited) stretch?.end();
  }
}

/** A read of the store, waited for as long as a lease lasts. A store on another machine may be away for reads too. */
export function readWhileSlow<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const limit = performance.now() + READ_MS;
  return whileSlow(read, { until: () => limit, signal });
}

/** False when the signal was aborted. */
async function paused(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return await sleep(Math.max(0, ms), signal).then(
    () => true,
    () => false,
  );
}
