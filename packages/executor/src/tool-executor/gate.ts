/** What lets attempts through, some of them after a wait, in the order of their arrival. */
export interface Gate {
  /** Nobody is inside or waits, and no one who was here still counts. */
  readonly idle: boolean;
  /** At once, or when it is let through. @throws RateLimitError, AbortError */
  enter(signal: AbortSignal | undefined): Promise<void> | undefined;
  /** One that was let through has ended. */
  leave(): void;
}
/** Who may wait at a gate. */
export interface GateOptions {
  /** For messages: `tool weather`. */
  readonly name: string;
  readonly maxQueue: number;
  /** Milliseconds. */
  readonly maxWait: number;
}
