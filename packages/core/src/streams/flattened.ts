import { InnerStream, type Nested } from './inner.ts';

type Step<E, R> = IteratorResult<E, R>;

/**
 * The events of a stream and of all streams inside it. With `yield*` an event costs several turns of the microtask queue for every stream
 * that it passes; here each event comes directly from the innermost stream, however deep. Otherwise it behaves like `yield*`: an error of
 * an inner stream is thrown where the stream was yielded, and leaving closes the innermost first.
 */
export function flattened<E, R>(stream: Nested<E, R>): AsyncGenerator<E, R, void> {
  return new FlattenedStream(stream);
}

class FlattenedStream<E, R> implements AsyncGenerator<E, R, void> {
  /** The open streams, the innermost last. */
  readonly #open: Nested<E, unknown>[];
  /** The open streams but the first, as yielded by the streams around them. */
  readonly #inner: InnerStream<E>[] = [];
  /** True while a call is under way; as with any generator the next one waits until it is over. */
  #busy = false;
  #waiting = 0;
  /** The last call. */
  #last: Promise<unknown> | undefined;
  /** Number of open streams, from the first, that are to return: those that were open when `return` was called. */
  #returning = 0;

  constructor(stream: Nested<E, R>) {
    this.#open = [stream];
  }

  next(): Promise<Step<E, R>> {
    return this.#isFree ? this.#begun(this.#next()) : this.#behind(() => this.#next());
  }

  return(value: R | PromiseLike<R>): Promise<Step<E, R>> {
    return this.#isFree ? this.#begun(this.#return(value)) : this.#behind(() => this.#return(value));
  }

  throw(error: unknown): Promise<Step<E, R>> {
    return this.#isFree ? this.#begun(this.#throw(error)) : this.#behind(() => this.#throw(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as never);
  }

  get #isFree(): boolean {
    return !this.#busy && this.#waiting === 0;
  }

  #begun(call: Promise<Step<E, R>>): Promise<Step<E, R>> {
    this.#last = call;
    return call;
  }

  #behind(call: () => Promise<Step<E, R>>): Promise<Step<E, R>> {
    this.#waiting++;
    const begin = () => {
      this.#waiting--;
      return call();
    };
    return this.#begun(this.#last!.then(begin, begin)); // not free: there was one
  }

  #next(): Promise<Step<E, R>> {
    const innermost = this.#open.at(-1);
    if (!innermost) return Promise.resolve({ done: true, value: undefined as never }); // what a generator says once it has ended
    this.#busy = true;
    return innermost.next().then(this.#took, this.#failed);
  }

  async #return(value: R | PromiseLike<R>): Promise<Step<E, R>> {
    const innermost = this.#open.at(-1);
    if (!innermost) return { done: true, value: await value };
    this.#busy = true;
    this.#returning = this.#open.length;
    return innermost.return(value).then(this.#took, this.#failed);
  }

  async #throw(error: unknown): Promise<Step<E, R>> {
    const innermost = this.#open.at(-1);
    if (!innermost) throw error;
    this.#busy = true;
    return innermost.throw(error).then(this.#took, this.#failed);
  }

  // Both are bound once for all steps.

  readonly #took = (step: Step<E | InnerStream<E>, unknown>): Step<E, R> | Promise<Step<E, R>> => {
    if (step.done) return this.#closed(step);
    if (step.value instanceof InnerStream) {
      this.#enter(step.value);
      return this.#next();
    }
    this.#busy = false;
    this.#returning = 0; // one that has something more to say goes on
    return step as Step<E, R>; // safe: no inner stream
  };

  readonly #failed = (error: unknown): Promise<Step<E, R>> => {
    this.#open.pop();
    this.#returning = Math.min(this.#returning, this.#open.length);
    if (this.#inner.pop()) return this.#throw(error);
    this.#busy = false;
    throw error;
  };

  /** The innermost stream has ended. */
  #closed(step: IteratorReturnResult<unknown>): Step<E, R> | Promise<Step<E, R>> {
    this.#open.pop();
    const ended = this.#inner.pop();
    if (!ended) {
      this.#busy = false;
      return step as IteratorReturnResult<R>; // safe: of the first stream
    }
    if (this.#open.length < this.#returning) return this.#return(step.value as R); // safe: what was to be returned
    ended.settle(step.value);
    return this.#next();
  }

  #enter(inner: InnerStream<E>): void {
    const { stream } = inner;
    this.#inner.push(inner);
    if (!(stream instanceof FlattenedStream) || !stream.#isFree) {
      this.#open.push(stream);
      return;
    }
    // A nested FlattenedStream passes its open streams on and ends: so each event passes one of them, not several.
    this.#open.push(...stream.#open);
    this.#inner.push(...stream.#inner);
    stream.#open.length = stream.#inner.length = 0;
  }
}
