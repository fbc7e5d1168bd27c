/** Admits attempts, some of them after a wait, in the order of their arrival. */
export interface Gate {
  /** True when nobody is inside or waits, and no former attempt still counts. */
  readonly idle: boolean;
  /** Admits an attempt immediately (undefined), or resolves when it is admitted. @throws RateLimitError, AbortError */
  enter(signal: AbortSignal | undefined): Promise<void> | undefined;
  /** Reports that an admitted attempt has ended. */
  leave(): void;
}
/** Options of a gate. */
export interface GateOptions {
  /** For messages: `tool weather`. */
  readonly name: string;
  readonly maxQueue: number;
  /** Milliseconds. */
  readonly maxWait: number;
}
