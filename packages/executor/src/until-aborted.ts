import { AbortError } from '@x/core';
import { onAbort } from '@x/core/internal';
import { SteppedStream } from '@x/core/streams';

/**
 * The same stream, ended as soon as the signal is aborted, even when the work ignores it: the pending step is abandoned and the stream's
 * `return` is called without waiting for it. Takes one call at a time; `onEvent` gets each event before the reader does.
 * @throws AbortError
 */
export function untilAborted<E, R>(
  stream: AsyncGenerator<E, R, void>,
  signal: AbortSignal,
  onEvent?: (event: E) => void,
): AsyncGenerator<E, R, void> {
  return new AbortableStream(stream, signal, onEvent);
}

class AbortableStream<E, R> extends SteppedStream<E, R> {
  readonly #stream: AsyncGenerator<E, R, void>;
  readonly #signal: AbortSignal;
  readonly #onEvent: ((event: E) => void) | undefined;
  #silence: (() => void) | undefined;
  #interrupt: ((error: AbortError) => void) | undefined;

  constructor(stream: AsyncGenerator<E, R, void>, signal: AbortSignal, onEvent?: (event: E) => void) {
    super();
    this.#stream = stream;
    this.#signal = signal;
    this.#onEvent = onEvent;
  }

  protected step(): Promise<IteratorResult<E, R>> {
    if (this.#signal.aborted) return this.throw(new AbortError());
    this.#silence ??= onAbort(this.#signal, this.#onAbort);
    return new Promise<IteratorResult<E, R>>((resolve, reject) => {
      this.#interrupt = reject;
      this.#stream.next().then(resolve, reject);
    }).then(this.#took, this.#failed);
  }

  /** A stream that failed has ended by itself; another `return` is harmless. After an abort nobody waits for it. */
  protected async leave(): Promise<void> {
    this.#silence?.();
    const cleanup = this.#stream.return(undefined as never);
    if (this.#signal.aborted) cleanup.catch(() => undefined);
    else await cleanup;
  }

  readonly #onAbort = (): void => this.#interrupt?.(new AbortError());

  readonly #took = (step: IteratorResult<E, R>): IteratorResult<E, R> => {
    if (step.done) {
      this.over = true;
      this.#silence?.();
    } else this.#onEvent?.(step.value);
    return step;
  };

  readonly #failed = (error: unknown): Promise<never> => this.throw(error);
}
