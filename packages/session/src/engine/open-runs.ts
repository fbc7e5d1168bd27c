import { AbortError, sleep } from '@x/core';

/** The sessions that a worker is running, and is to end. */
export class OpenRuns {
  readonly #open = new Set<Promise<void>>();
  isDraining = false;

  /** @throws AbortError once it is draining */
  async during(work: () => Promise<void>): Promise<void> {
    if (this.isDraining) throw left();
    const run = work();
    this.#open.add(run);
    await run.finally(() => this.#open.delete(run));
  }

  /** Resolves when all that is open has ended, however. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  /** Lets nothing more begin; resolves when all that is open has ended, or after `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    this.isDraining = ms > 0;
    if (!this.isDraining || this.#open.size === 0) return;
    const over = new AbortController();
    const time = sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#open), time]);
    over.abort();
  }
}

/** The error of a session that is left where it is. */
export function left(): AbortError {
  return new AbortError('The session was left to whoever serves next');
}
