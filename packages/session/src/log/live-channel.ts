/**
 * Carries live events from the process that runs a session to those who follow it in others. Nothing of it throws, and nobody waits for it:
 * what cannot be carried is dropped.
 */
export interface LiveChannel {
  /** Learns who listens, from soon on. For a process that runs sessions; may be called often. */
  open(): void;
  /** True while somebody in another process is known to listen. Asked with each event: costs a look into a map. */
  isHeard(sessionId: string): boolean;
  /** Hands on a text of 100,000 characters at most: whole or not at all, once, behind those before it. */
  publish(sessionId: string, text: string): void;
  /** Calls `listener`, which must not throw, with the texts that others publish. Returns its end. */
  subscribe(sessionId: string, listener: (text: string) => void): () => void;
}
