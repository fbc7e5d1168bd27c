/**
 * An async generator that passes others on, written by hand: a generator that only does `yield*` costs every event three turns of the
 * microtask queue. As with any generator the inner stream begins at the first step, and leaving closes it.
 */
export class StreamRelay<E, R> implements AsyncGenerator<E, R, void> {
  readonly #step: (relay: StreamRelay<E, R>) => Promise<IteratorResult<E, R>>;
  #inner: AsyncGenerator<E, R, void> | undefined;
  /** Whether the reader has left: what is pending goes nowhere. */
  left = false;

  /** `step` makes one step of the inner stream. */
  constructor(step: (relay: StreamRelay<E, R>) => Promise<IteratorResult<E, R>>) {
    this.#step = step;
  }

  /** The inner stream, made when there is none. */
  stream(make: () => AsyncGenerator<E, R, void>): AsyncGenerator<E, R, void> {
    return (this.#inner ??= make());
  }

  /** Closes the inner stream, so that another may take its place. */
  async close(): Promise<void> {
    const inner = this.#inner;
    this.#inner = undefined;
    await inner?.return(undefined as never); // harmless for one that has ended
  }

  next(): Promise<IteratorResult<E, R>> {
    // What a generator answers once it was left.
    return this.left ? Promise.resolve({ done: true, value: undefined as never }) : this.#step(this);
  }

  async return(value: R | PromiseLike<R>): Promise<IteratorResult<E, R>> {
    this.left = true;
    await this.close();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<E, R>> {
    this.left = true;
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as never);
  }
}
