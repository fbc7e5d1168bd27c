import { ValidationError } from '@x/errors';

/** A stream with others inside, for `flattened`: it yields `inner(stream)` instead of using `yield*`. */
export type Nested<E, R> = AsyncGenerator<E | InnerStream<E>, R, void>;

const RUNNING = Symbol('running');

/** Stands for all events of another stream, and then its result. */
export class InnerStream<out E = unknown, out R = unknown> {
  readonly stream: Nested<E, R>;
  #result: R | typeof RUNNING = RUNNING;

  constructor(stream: Nested<E, R>) {
    this.stream = stream;
  }

  /** The result of the stream, available after the `yield` of this. */
  get result(): R {
    if (this.#result === RUNNING) throw new ValidationError('An inner stream has a result once its yield is over');
    return this.#result;
  }

  /** For `flattened` alone. */
  settle(result: R): void {
    this.#result = result;
  }
}

/** `const whole = inner(stream); yield whole;` is `const result = yield* stream`, with `whole.result`. */
export function inner<E, R>(stream: Nested<E, R>): InnerStream<E, R> {
  return new InnerStream(stream);
}
