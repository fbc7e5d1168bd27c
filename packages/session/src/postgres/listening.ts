import type { Query } from './database.ts';

/** A connection that hears notifications. What it rejects with is the driver's. */
export interface Listening {
  readonly query: Query;
  /** `channel`: a name of small letters, digits and _. */
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
  /** Waits for nothing. */
  close(): void;
}
/** Neither of them throws. */
export interface Hearing {
  onText(channel: string, text: string): void;
  /** Called when the connection has ended by itself. */
  onLost(error: Error): void;
}
export type OpenListening = (hearing: Hearing) => Promise<Listening>;
