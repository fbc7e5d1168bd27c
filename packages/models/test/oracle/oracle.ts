import type { AssistantMessage, Model } from '@x/core';

/** The official client of a format beside the adapter, and what both say in one form. */
export interface Oracle {
  /** The folder of its streams below `test/wire`. */
  readonly format: string;
  /** The adapter, for a service at `url`. */
  readonly open: (url: string) => Model;
  readonly factsOfOurs: (message: AssistantMessage) => unknown;
  /** What the official client makes of the answer at `url`. Rejects where it refuses the stream. */
  readonly theirs: (url: string) => Promise<unknown>;
  /** Streams that both read, each in its own way, or that only the client takes for a reply; and why. */
  readonly known: Readonly<Record<string, string>>;
}
