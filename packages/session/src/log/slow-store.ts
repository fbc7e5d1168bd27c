import { isAgentError, sleep } from '@x/core';

/** Milliseconds between two tries, on average. */
const PAUSE_MS = 1_000;

/** How long a slow store is waited for. */
export interface Patience {
  /** The time by `performance.now()` from which on nothing is tried again; it may move. */
  readonly until: () => number;
  /** Once aborted, nothing is tried again. */
  readonly signal?: AbortSignal | undefined;
  readonly stretch?: SlowStretch | undefined;
  /** Which errors are waited out. Default: those that are `retryable`. */
  readonly isSlow?: (error: unknown) => boolean;
}

/** A time during which something waits for the store. */
export class SlowStretch {
  readonly #onBegun: (error: unknown) => void;
  #waiting = 0;

  /** `onBegun` hears of the first failure of each stretch. */
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

/** Whether the store says that nothing was recorded, and that the same may be asked again. */
export function isRetryable(error: unknown): boolean {
  return isAgentError(error) && error.retryable === true;
}

/**
 * What `act` resolves with, tried again about every second for as long as the patience lasts; then rejects with the last error. A try
 * under way is waited for, also after an abort.
 */
export async function whileSlow<T>(act: () => Promise<T>, patience: Patience): Promise<T> {
  const { until, signal, stretch, isSlow = isRetryable } = patience;
  let hasWaited = false;
  try {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isSlow(error)) throw error;
        if (!hasWaited) stretch?.begin(error);
        hasWaited = true;
        if (performance.now() >= until() || !(await paused(signal))) throw error;
      }
    }
  } finally {
    if (hasWaited) stretch?.end();
  }
}

/** False when the signal was aborted. */
async function paused(signal: AbortSignal | undefined): Promise<boolean> {
  return await sleep(PAUSE_MS * (0.5 + Math.random()), signal).then(
    () => true,
    () => false,
  );
}
