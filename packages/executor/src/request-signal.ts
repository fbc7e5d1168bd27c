import { onAbort } from '@x/core/internal';

/**
 * The signal of a run's requests: aborted with the run, or by an urgent message. Made by hand, since a signal of `AbortSignal.any` asks its
 * sources at each look at it. Closed at the end of the run.
 */
export class RequestSignal {
  readonly #run: AbortSignal;
  #urgent: AbortSignal | undefined;
  #signal: AbortSignal;
  #leave: (() => void)[] = [];

  constructor(run: AbortSignal) {
    this.#run = run;
    this.#signal = run;
  }

  /** The same signal until `urgent` is another one. */
  with(urgent: AbortSignal): AbortSignal {
    if (urgent === this.#urgent) return this.#signal;
    this.close();
    this.#urgent = urgent;
    const both = new AbortController();
    this.#signal = both.signal;
    this.#leave.push(onAbort(both.signal, () => undefined)); // so that the calls of a run share one listener, instead of each adding its own
    for (const source of [this.#run, urgent]) {
      if (source.aborted) both.abort(source.reason);
      else this.#leave.push(onAbort(source, () => both.abort(source.reason)));
    }
    return this.#signal;
  }

  close(): void {
    for (const leave of this.#leave.splice(0)) leave();
  }
}
