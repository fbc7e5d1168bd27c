import type { AgentEvent } from '../event.ts';
import type { AssistantMessage } from '../message.ts';
import type { ModelStream } from '../model.ts';
import { SteppedStream } from './stepped-stream.ts';

type Step = Promise<IteratorResult<AgentEvent, AssistantMessage>>;

/**
 * The stream of `start`. An error before its first delta is passed to `recover`, whose stream replaces it, or which throws; once the reader
 * has seen a delta, nothing can be taken back and errors pass. The failed stream is closed.
 */
export function beforeFirstDelta(start: () => ModelStream, recover: (error: unknown) => ModelStream): ModelStream {
  return new RecoveringStream(start, recover);
}

class RecoveringStream extends SteppedStream<AgentEvent, AssistantMessage> {
  readonly #start: () => ModelStream;
  readonly #recover: (error: unknown) => ModelStream;
  #stream: ModelStream | undefined;
  /** From the first delta on the stream is stepped directly, with nothing in between. */
  #settled = false;

  constructor(start: () => ModelStream, recover: (error: unknown) => ModelStream) {
    super();
    this.#start = start;
    this.#recover = recover;
  }

  protected step(): Step {
    return this.#settled && this.#stream ? this.#stream.next() : this.#first();
  }

  async #first(): Step {
    try {
      this.#stream ??= this.#start();
      const step = await this.#stream.next();
      this.#settled = step.done === true || isDelta(step.value);
      return step;
    } catch (error) {
      await this.leave();
      if (this.over) throw error;
      this.over = true; // it is, should recover() throw
      this.#stream = this.#recover(error);
      this.over = false;
      this.#settled = true;
      return await this.#stream.next();
    }
  }

  protected async leave(): Promise<void> {
    await this.#stream?.return(undefined as never); // harmless for one that has ended
    this.#stream = undefined;
  }
}

/** A piece of the reply: text or thought. */
export function isDelta({ type }: AgentEvent): boolean {
  return type === 'content' || type === 'thinking';
}
