/** What an attempt did in the end that had been given up, because its time was up or its caller had aborted. */
export interface LateSettlement {
  /** The name of the tool, where it is known. */
  readonly tool?: string;
  /** From 1. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly givenUpFor: 'timeout' | 'abort';
  readonly outcome: PromiseSettledResult<unknown>;
  /** Milliseconds from giving it up to its end. */
  readonly afterMs: number;
}
