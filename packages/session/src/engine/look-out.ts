import type { SessionStore } from '../log/session-store.ts';
import type { RunEngine } from './run-engine.ts';

/** Options of a look-out. */
export interface LookOutOptions {
  readonly engine: RunEngine;
  readonly store: SessionStore;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Called with the error of a look, once until one succeeds again. */
  readonly onError: (error: unknown) => void;
}

/** Asks for the sessions to which any process has sent a message since the look before. Keeps the process alive until it is closed. */
export class LookOut implements AsyncDisposable {
  readonly #options: LookOutOptions;
  /** The newest message that waited in each session when last looked at. */
  #known: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #closed = false;

  private constructor(options: LookOutOptions) {
    this.#options = options;
  }

  /** Begins; messages that wait already are somebody else's to ask for. @throws errors of the store */
  static async begin(options: LookOutOptions): Promise<LookOut> {
    const lookOut = new LookOut(options);
    lookOut.#known = await newestOf(options.store);
    lookOut.#wait();
    return lookOut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #wait(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().then(() => this.#wait());
    }, this.#options.everyMs);
  }

  async #look(): Promise<void> {
    const { engine, store, onError } = this.#options;
    try {
      const found = await newestOf(store);
      for (const [sessionId, messageId] of found) {
        if (this.#known.get(sessionId) !== messageId && !this.#closed) await engine.submit(sessionId);
      }
      this.#known = found;
      this.#hasFailed = false;
    } catch (error) {
      if ((error as { readonly code?: unknown } | undefined)?.code === 'SESSION_CLOSED') this.#closed = true; // engine or store
      if (!this.#hasFailed && !this.#closed) onError(error);
      this.#hasFailed = true;
    }
  }
}

async function newestOf(store: SessionStore): Promise<Map<string, string>> {
  const waiting = (await store.waiting?.()) ?? [];
  return new Map(waiting.map(({ sessionId, messageId }) => [sessionId, messageId]));
}
