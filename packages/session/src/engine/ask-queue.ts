/** A session that was asked for. */
export interface Ask {
  readonly sessionId: string;
  /** Rejections since it was last done. */
  readonly failures: number;
}

/** A queue of another program that keeps asks for any number of processes. Its errors are AgentErrors. */
export interface AskQueue<Taken extends Ask> {
  /** Adds an ask, to be taken after `delayMs`; nothing when one for this session waits. */
  put(ask: Ask, delayMs: number): Promise<void>;
  /** Takes up to `most` asks, oldest first; none for a session whose ask was taken by anybody and is not done. */
  take(most: number): Promise<readonly Taken[]>;
  /** Removes an ask that was taken; nothing when it was taken from this process since. */
  done(taken: Taken): Promise<void>;
  /** Says that these are still being worked on; without it for some seconds, an ask is given to another process. */
  keep(taken: readonly Taken[]): Promise<void>;
  close(): Promise<void>;
}
