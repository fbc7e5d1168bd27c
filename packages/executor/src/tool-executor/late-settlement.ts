/** The late outcome of an attempt that had been given up, because its time was up or its caller had aborted. */
export interface LateSettlement {
  /** The name of the tool, if known. */
  readonly tool?: string;
  /** From 1. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly givenUpFor: 'timeout' | 'abort';
  readonly outcome: PromiseSettledResult<unknown>;
  /** Milliseconds from giving up to the end. */
  readonly afterMs: number;
}
