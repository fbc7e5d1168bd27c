import { SteppedStream } from './stepped-stream.ts';

/** Changes to a stream on its way. An error of `event` or `end` is passed to the reader; `event` has then closed the stream. */
export interface Forwarding<E, R, F = E, S = R> {
  /** Maps an event for the reader; undefined drops it. Default: the event. */
  readonly event?: (event: E) => F | undefined;
  /** Maps the value of the stream. Default: the value. */
  readonly end?: (value: R) => S;
  /** Called with the error that the reader is about to get. */
  readonly fail?: (error: unknown) => void;
  /** Ends a stream that is left early. Default: its `return`. */
  readonly leave?: (stream: AsyncGenerator<E, R, void>) => Promise<unknown>;
}

/** The stream that `start` creates at the first step, its events and its value filtered, changed or observed. */
export function forwarded<E, R, F = E, S = R>(
  start: () => AsyncGenerator<E, R, void>,
  forwarding: Forwarding<E, R, F, S>,
): AsyncGenerator<F, S, void> {
  return new ForwardedStream(start, forwarding);
}

class ForwardedStream<E, R, F, S> extends SteppedStream<F, S> {
  readonly #start: () => AsyncGenerator<E, R, void>;
  readonly #forwarding: Forwarding<E, R, F, S>;
  #stream: AsyncGenerator<E, R, void> | undefined;

  constructor(start: () => AsyncGenerator<E, R, void>, forwarding: Forwarding<E, R, F, S>) {
    super();
    this.#start = start;
    this.#forwarding = forwarding;
  }

  protected step(): Promise<IteratorResult<F, S>> {
    try {
      this.#stream ??= this.#start();
    } catch (error) {
      return this.#broken(error);
    }
    return this.#stream.next().then(this.#took, this.#broken);
  }

  protected async leave(): Promise<void> {
    const stream = this.#stream;
    if (stream) await (this.#forwarding.leave?.(stream) ?? stream.return(undefined as never)); // safe: nobody reads the value
  }

  // Bound once for all steps.

  readonly #took = (step: IteratorResult<E, R>): IteratorResult<F, S> | Promise<IteratorResult<F, S>> => {
    const { event, end } = this.#forwarding;
    try {
      if (step.done) {
        this.over = true;
        return end ? { done: true, value: end(step.value) } : (step as IteratorReturnResult<never>); // safe: S is R
      }
      if (!event) return step as IteratorYieldResult<never>; // safe: F is E
      const told = event(step.value);
      return told === undefined ? this.step() : { done: false, value: told };
    } catch (error) {
      return this.#failed(error);
    }
  };

  readonly #broken = (error: unknown): Promise<never> => {
    this.over = true;
    return this.#failed(error);
  };

  readonly #failed = (error: unknown): Promise<never> => {
    this.#forwarding.fail?.(error);
    return this.throw(error);
  };
}
