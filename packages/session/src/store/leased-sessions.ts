import type { Lease } from '../log/session-store.ts';

/** A session whose lease was acquired here. */
export interface LeasedSession {
  /** Of its row, which no other session ever gets. */
  readonly number: number;
  readonly epoch: number;
  /** The head of its log when this store last read or wrote it. It never shrinks. */
  head: number;
}

/** More than a process keeps open at a time; sessions whose leases never come back are forgotten eventually. */
const MOST = 10_000;

/** Facts that a store knows of the sessions whose leases it has given, until they are given back or lost. May forget any at any time. */
export class LeasedSessions {
  readonly #sessions = new Map<string, LeasedSession>();
  /** By owner: leases that are over but could not be given back yet. They do not delay anybody who asks here. */
  readonly over: Map<string, Lease> = new Map();

  find(sessionId: string): LeasedSession | undefined {
    return this.#sessions.get(sessionId);
  }

  add(sessionId: string, leased: LeasedSession): void {
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, leased);
    if (this.#sessions.size <= MOST) return;
    for (const oldest of this.#sessions.keys()) return this.forget(oldest);
  }

  /** The lease was given back, or belongs to another by now. */
  leave({ sessionId, epoch }: { readonly sessionId: string; readonly epoch: number }): void {
    if (this.find(sessionId)?.epoch === epoch) this.forget(sessionId);
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  clear(): void {
    this.#sessions.clear();
  }
}
