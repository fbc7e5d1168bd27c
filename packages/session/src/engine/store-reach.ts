import { AgentError, sleep } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { OwnerEvent } from '../log/owner-events.ts';
import type { SessionStore } from '../log/session-store.ts';

/** Milliseconds between two tries to reach a store that does not answer. */
const TRY_EVERY_MS = 1_000;

interface Asked {
  readonly signal: AbortSignal;
  readonly onOwner?: (event: OwnerEvent) => void;
}

/**
 * Knows that a session was lost because the store has not answered for a lease: its ask is given back at once, and so are all that follow
 * until the store answers again. Another process may reach the store, and would wait for the asks that this one holds.
 */
export class StoreReach {
  readonly #store: SessionStore;
  readonly #signal: AbortSignal;
  #reason: unknown;
  #isAway = false;

  /** The signal ends the tries. */
  constructor(store: SessionStore, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  /** @throws the error of the session that was lost */
  assertAnswers(): void {
    if (this.#isAway) throw this.#reason;
  }

  /** Runs a session; does not wait until it is closed when it is lost with the store. @throws AgentError `RUN_UNFINISHED`, and errors of the run */
  async unlessLost(
    sessionId: string,
    { signal, onOwner }: Asked,
    work: (onOwner: (event: OwnerEvent) => void) => Promise<void>,
  ): Promise<void> {
    const lost = Promise.withResolvers<never>();
    const run = work((event) => {
      if (signal.aborted) return; // it is left, not lost
      onOwner?.(event);
      if (event.type !== 'lost' || codeOf(event.error) !== 'STORE_FAILED') return;
      void this.#untilBack(event.error);
      lost.reject(unfinished(sessionId, messageOf(event.error)));
    });
    run.catch(() => undefined); // who is told of the loss is not told of what follows
    await Promise.race([run, lost.promise]);
  }

  async #untilBack(reason: unknown): Promise<void> {
    this.#reason = reason;
    if (this.#isAway) return;
    this.#isAway = true;
    while (!this.#signal.aborted && this.#isAway) {
      try {
        await this.#store.list({ limit: 1 });
        this.#isAway = false;
      } catch {
        await sleep(TRY_EVERY_MS, this.#signal).catch(() => undefined);
      }
    }
  }
}

/** The error of a run that was lost. */
export function unfinished(sessionId: string, reason: string): AgentError {
  const message = `The run of session ${sessionId} has not ended: ${reason}`;
  return new AgentError(message, { code: 'RUN_UNFINISHED', retryable: true });
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}
