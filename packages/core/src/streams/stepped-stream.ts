/**
 * Base of hand-written async generators, with one step method: a generator around another one costs every event three turns of the
 * microtask queue. As with a generator nothing begins before the first step, and leaving closes open streams. One call at a time.
 */
export abstract class SteppedStream<E, R> implements AsyncGenerator<E, R, void> {
  /** True without further steps: the reader has left, or a step has reached the end. */
  protected over = false;

  protected abstract step(): Promise<IteratorResult<E, R>>;
  /** Closes open streams; called at most once. */
  protected abstract leave(): Promise<void>;

  /** Calls `leave`, unless it was called before. */
  protected async close(): Promise<void> {
    if (this.over) return;
    this.over = true;
    await this.leave();
  }

  next(): Promise<IteratorResult<E, R>> {
    return this.over ? Promise.resolve({ done: true, value: undefined as never }) : this.step(); // as a generator that has ended
  }

  async return(value: R | PromiseLike<R>): Promise<IteratorResult<E, R>> {
    await this.close();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<never> {
    await this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
