/** Clients that are remembered at once. */
const MOST_CLIENTS = 10_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts the requests of each client in windows that begin with its first request. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();
  readonly #max: number;
  readonly #timeWindow: number;
  readonly #now: () => number;

  constructor({ max, timeWindow }: { max: number; timeWindow: number }, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#timeWindow = timeWindow;
    this.#now = now;
  }

  /** Counts one request; the milliseconds to wait when it is one too many, else 0. */
  take(client: string): number {
    const now = this.#now();
    const known = this.#windows.get(client);
    if (known && now < known.endsAt) {
      known.count += 1;
      return known.count > this.#max ? known.endsAt - now : 0;
    }
    this.#forgetEnded(now);
    this.#windows.delete(client); // so that it is the last of the map again
    this.#windows.set(client, { count: 1, endsAt: now + this.#timeWindow });
    return 0;
  }

  /** Windows end in the order of the map; beyond the most that are kept, the oldest one is forgotten. */
  #forgetEnded(now: number): void {
    for (const [client, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size < MOST_CLIENTS) return;
      this.#windows.delete(client);
    }
  }
}
