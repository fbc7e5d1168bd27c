import { LONGEST_TIMER_MS } from '@x/core/internal';

/** Asks for sessions when the first of their questions expires, so that the call is refused then. */
export class Expiries {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #ask: (sessionId: string) => void;

  /** `ask` never throws. */
  constructor(ask: (sessionId: string) => void) {
    this.#ask = ask;
  }

  /** `at` in milliseconds since 1970, replacing an earlier one; beyond 24 days it asks early, which changes nothing. Absent: never. */
  set(sessionId: string, at: number | undefined): void {
    clearTimeout(this.#timers.get(sessionId));
    this.#timers.delete(sessionId);
    if (at === undefined) return;
    const timer = setTimeout(
      () => {
        this.#timers.delete(sessionId);
        this.#ask(sessionId);
      },
      Math.min(Math.max(at - Date.now(), 0) + 1, LONGEST_TIMER_MS),
    );
    this.#timers.set(sessionId, timer);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
