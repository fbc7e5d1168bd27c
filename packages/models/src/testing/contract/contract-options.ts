import type { Model } from '@x/core';

/**
 * Complete answers of the service, as `text/event-stream` in its own format. A case whose stream is missing is left out. The contract
 * requests them with the tools `echo` (a text) and `now` (no arguments), and the output format `answer`, see `structured`.
 */
export interface ContractStreams {
  /** Some text in several deltas, and usage. */
  readonly text: string;
  /** One call of `echo`, its arguments in fragments. */
  readonly call: string;
  /** Two calls of `echo`. */
  readonly parallelCalls: string;
  /** Text ended by the length limit. */
  readonly length: string;
  /** A reply that declines. */
  readonly refusal: string;
  /** Thinking in several deltas, and then text. */
  readonly thinking?: string;
  /** One call of `now`, without arguments, as this service streams it. */
  readonly callWithoutArguments?: string;
  /** Some text, then an error event instead of the end. */
  readonly errorInStream?: string;
  /** Text, with usage that counts tokens read from a cache. */
  readonly cacheUsage?: string;
  /**
   * A JSON object as the answer in the format named `answer`, in whichever way the adapter requests it (the service's own mode, or a final
   * tool). The schema is strict: an object with the one property `city`, a text.
   */
  readonly structured?: string;
}
/** Options of `modelContract`. */
export interface ModelContractOptions {
  /** Creates a model whose service listens at `url` (`http://127.0.0.1:<port>`), with the key `apiKey`. Called once for each case. */
  readonly open: (url: string, apiKey: string) => Model;
  readonly streams: ContractStreams;
  /** The body of the answer 400 for messages that do not fit the model's window. Default: that of OpenAI. */
  readonly contextOverflow?: string;
  /**
   * Maximum number of places where each stream is cut, a whole number from 1: one half in even steps, the other around the ends of events.
   * Each costs a connection. Default: at every byte; for a stream longer than 8 KiB at about 8192, and at all around the ends of events.
   */
  readonly cutsPerStream?: number;
  /** Milliseconds without a request, and without a byte of an answer taken, after which the case counts as broken. Default 10000. */
  readonly patienceMs?: number;
}
