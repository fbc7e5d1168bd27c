import type { Lease } from '../log/session-store.ts';

/** A session whose lease was taken here. */
export interface LeasedSession {
  /** Of its row, which no other session ever gets. */
  readonly number: number;
  readonly epoch: number;
  /** How far its log had come when this store looked last, or wrote. It never becomes shorter. */
  head: number;
}

/** More than a process keeps open at a time; those whose leases never come back are forgotten in the end. */
const MOST = 10_000;

/** What a store knows of the sessions whose leases it has given, until they are given back or lost. May forget any at any time. */
export class LeasedSessions {
  readonly #sessions = new Map<string, LeasedSession>();
  /** By owner: leases that are over, which could not be given back yet. They hold up nobody who asks here. */
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

  /** The lease was given back, or is another's by now. */
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
