/** Stands for all that another stream tells, and then for what it returns: `yield` it where `yield*` would stand. */
export class Delegation<out E = unknown, out R = unknown> {
  readonly stream: Delegating<E, R>;
  #result: R | undefined;

  constructor(stream: Delegating<E, R>) {
    this.stream = stream;
  }

  /** What the stream has returned. To be read once the `yield` of this is over, not before. */
  get result(): R {
    return this.#result as R; // safe: settled before the stream that has yielded it goes on
  }

  /** For `delegated` alone. */
  settle(result: unknown): void {
    this.#result = result as R; // safe: what `stream` has returned
  }
}

/** A stream with delegations among its events. */
export type Delegating<E, R> = AsyncGenerator<E | Delegation<E>, R, void>;

/** `const inner = delegate(stream); yield inner;` is `const result = yield* stream`, with `inner.result`. */
export function delegate<E, R>(stream: Delegating<E, R>): Delegation<E, R> {
  return new Delegation(stream);
}
