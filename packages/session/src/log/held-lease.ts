import { AbortError, AgentError, isAgentError, SessionError } from '@x/core';
import { ownerName } from './owner-name.ts';
import { busyElsewhere } from './ownership.ts';
import type { Lease, SessionStore } from './session-store.ts';
import { isRetryable, type SlowStretch, whileSlow } from './slow-store.ts';

/** Milliseconds. */
const LEASE_MS = 30_000;
/** Often enough that a lease whose last renewal was missed still outlives a lock of 20 seconds. */
const BEAT_MS = LEASE_MS / 6;
/** Made once: without a reason each `abort` makes an error with a stack of its own. */
const OVER = new AbortError('The lease is given back');
/** A timer that fires later than this was held up with the whole process. */
const HELD_UP_MS = 1_000;
/** Errors that end ownership; after any other failure a renewal is tried again. */
const LOSSES: readonly string[] = [
  'SESSION_FENCED',
  'SESSION_NOT_FOUND',
  'SESSION_CONFLICT',
  'SESSION_CLOSED',
  'LOG_DAMAGED',
  'LOG_TOO_NEW',
];

export interface HeldLeaseOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Called once when the session is lost: somebody else owns it, or the lease has run out. */
  readonly onLost: (reason: unknown) => void;
  /** Once aborted, failures are not retried. */
  readonly signal?: AbortSignal | undefined;
  readonly stretch?: SlowStretch | undefined;
}

/** The lease of a session, renewed until it is given back or lost. */
export class HeldLease {
  readonly lease: Lease;
  readonly #options: HeldLeaseOptions;
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #end: NodeJS.Timeout;
  #until: number;
  #isRenewing = false;
  #failure: unknown;

  private constructor(lease: Lease, askedAt: number, options: HeldLeaseOptions) {
    this.lease = lease;
    this.#options = options;
    this.#until = askedAt + LEASE_MS;
    this.#heartbeat = setInterval(() => void this.#renew(), BEAT_MS).unref();
    this.#end = this.#endLater();
  }

  /** Acquires the lease; waits for a slow store for as long as a lease lasts. @throws SessionError `SESSION_BUSY`, `SESSION_NOT_FOUND` */
  static async take(options: HeldLeaseOptions): Promise<HeldLease> {
    const { store, sessionId, signal, stretch } = options;
    const limit = performance.now() + LEASE_MS;
    let askedAt = 0;
    const acquire = () => {
      askedAt = performance.now();
      return store.acquire(sessionId, ownerName(), LEASE_MS);
    };
    const lease = await whileSlow(acquire, { until: () => limit, signal, stretch });
    if (!lease) throw await busyElsewhere(store, sessionId);
    return new HeldLease(lease, askedAt, options);
  }

  /** The end of the lease by `performance.now()`, unless it is renewed. */
  get until(): number {
    return this.#until;
  }

  /** Stops renewing it. */
  stop(): void {
    this.#over.abort(OVER);
    clearInterval(this.#heartbeat);
    clearTimeout(this.#end);
  }

  /**
   * Gives it back. While the store is slow this is retried after `appends`, until the lease has run out. After an abort it is left to the
   * store, which knows that this owner is over.
   */
  async release(appends: Promise<unknown>): Promise<void> {
    this.stop();
    const { store, signal, stretch } = this.#options;
    try {
      await store.release(this.lease);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await appends;
      const patience = { until: () => this.#until, signal, stretch };
      if (signal?.aborted) return;
      await whileSlow(() => store.release(this.lease), patience).catch((reason: unknown) => {
        if (!isRetryable(reason)) throw reason;
      });
    }
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const { store, stretch } = this.#options;
    let askedAt = 0;
    const renew = () => {
      askedAt = performance.now();
      return store.renew(this.lease, LEASE_MS);
    };
    const isSlow = (error: unknown) => {
      this.#failure = error;
      return !(isAgentError(error) && LOSSES.includes(error.code));
    };
    const patience = { until: () => Number.POSITIVE_INFINITY, signal: this.#over.signal, stretch, isSlow };
    try {
      if (await whileSlow(renew, patience)) this.#renewed(askedAt);
      else this.#lose(takenOver(this.lease.sessionId));
    } catch (error) {
      this.#lose(error);
    } finally {
      this.#isRenewing = false;
    }
  }

  #renewed(askedAt: number): void {
    this.#failure = undefined;
    this.#until = askedAt + LEASE_MS;
    clearTimeout(this.#end);
    if (!this.#over.signal.aborted) this.#end = this.#endLater();
  }

  #endLater(): NodeJS.Timeout {
    return setTimeout(() => this.#ended(), this.#until - performance.now()).unref();
  }

  #ended(): void {
    const isHeldUp = performance.now() > this.#until + HELD_UP_MS;
    if (!isHeldUp) return this.#lose(this.#failure ?? unanswered(this.lease.sessionId));
    // The whole process stood still: another owner may have the session by now, so the store is asked first.
    this.#until = performance.now() + BEAT_MS;
    this.#end = this.#endLater();
    void this.#renew();
  }

  #lose(reason: unknown): void {
    if (this.#over.signal.aborted) return;
    this.stop();
    this.#options.onLost(reason);
  }
}

function takenOver(sessionId: string): SessionError {
  return new SessionError(`Session ${sessionId} was taken over by another owner`, { code: 'SESSION_FENCED' });
}

function unanswered(sessionId: string): AgentError {
  const message = `The store has not answered until the lease of session ${sessionId} ran out; resume it to go on`;
  return new AgentError(message, { code: 'STORE_FAILED', statusCode: 503 });
}
