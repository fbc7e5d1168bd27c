import { AbortError } from '@x/core';

/**
 * The same stream, ended as soon as the signal is aborted, even when the work ignores it: the pending step is left behind and the
 * stream is asked to clean up, without waiting for it. Takes one call at a time; `onEvent` sees each event before the reader does.
 * @throws AbortError
 */
export function untilAborted<E, R>(
  stream: AsyncGenerator<E, R, void>,
  signal: AbortSignal,
  onEvent?: (event: E) => void,
): AsyncGenerator<E, R, void> {
  return new AbortableStream(stream, signal, onEvent);
}

/** Written by hand: a generator around another one costs every event some turns of the microtask queue. */
class AbortableStream<E, R> implements AsyncGenerator<E, R, void> {
  readonly #stream: AsyncGenerator<E, R, void>;
  readonly #signal: AbortSignal;
  readonly #onEvent: ((event: E) => void) | undefined;
  #listens = false;
  #ended = false;
  #interrupt: ((error: AbortError) => void) | undefined;

  constructor(stream: AsyncGenerator<E, R, void>, signal: AbortSignal, onEvent?: (event: E) => void) {
    this.#stream = stream;
    this.#signal = signal;
    this.#onEvent = onEvent;
  }

  next(): Promise<IteratorResult<E, R>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined as never }); // as any stream that has ended
    if (this.#signal.aborted) return this.#failed(new AbortError());
    this.#listen();
    return new Promise<IteratorResult<E, R>>((resolve, reject) => {
      this.#interrupt = reject;
      this.#stream.next().then(resolve, reject);
    }).then(this.#took, this.#failed);
  }

  async return(value: R | PromiseLike<R>): Promise<IteratorResult<E, R>> {
    await this.#leave();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<E, R>> {
    return await this.#failed(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }

  #listen(): void {
    if (this.#listens) return;
    this.#listens = true;
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  /** A stream that failed has ended by itself; asking once more is harmless. After an abort nobody waits for it. */
  async #leave(): Promise<void> {
    if (this.#ended) return;
    this.#end();
    const cleanup = this.#stream.return(undefined as never);
    if (this.#signal.aborted) cleanup.catch(() => undefined);
    else await cleanup;
  }

  readonly #onAbort = (): void => this.#interrupt?.(new AbortError());

  readonly #took = (step: IteratorResult<E, R>): IteratorResult<E, R> => {
    if (step.done) this.#end();
    else this.#onEvent?.(step.value);
    return step;
  };

  readonly #failed = async (error: unknown): Promise<never> => {
    await this.#leave();
    throw error;
  };
}
