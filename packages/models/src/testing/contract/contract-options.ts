import type { Model } from '@x/core';

/**
 * Complete answers of the service, as `text/event-stream` in its own format. A case whose stream is not given does not exist.
 * What the contract asks with: tools `echo` (a text) and `now` (no arguments); the form `answer`, see `structured`.
 */
export interface ContractStreams {
  /** Some text in several deltas, and usage. */
  readonly text: string;
  /** One call of `echo`, its arguments in fragments. */
  readonly call: string;
  /** Two calls of `echo`. */
  readonly parallelCalls: string;
  /** Text that was ended by the length limit. */
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
   * A JSON object as the answer in the form named `answer`, in whichever way the adapter asks for it (the service's own mode, or a
   * last tool). The form is asked for with a strict schema: an object with the one property `city`, a text.
   */
  readonly structured?: string;
}
/** What `modelContract` is run against. */
export interface ModelContractOptions {
  /** A model whose service listens at `url` (`http://127.0.0.1:<port>`), and whose key is `apiKey`. Called once for each case. */
  readonly open: (url: string, apiKey: string) => Model;
  readonly streams: ContractStreams;
  /** The body of the answer 400 that says the messages do not fit the model's window. Default: that of OpenAI. */
  readonly contextOverflow?: string;
  /**
   * At how many places each stream is cut at most, a whole number from 1: one half in even steps, the other around the ends of events.
   * Each costs a connection. Default: at every byte; of a stream longer than 8 KiB at about 8192, and at all that surround the ends of
   * events.
   */
  readonly cutsPerStream?: number;
  /** How long the model may take from one request to the next before the case counts as broken, in milliseconds. Default 10000. */
  readonly patienceMs?: number;
}
