import type { SessionStore, SessionSummary } from '../log/session-store.ts';
import type { RunEngine } from './run-engine.ts';

/** Sessions that one query finds. */
const MOST = 1000;

/** Options of a look-out. */
export interface LookOutOptions {
  readonly engine: RunEngine;
  readonly store: SessionStore;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Called with sessions whose process has ended in the middle of a run, or has left it. */
  readonly onInterrupted: (sessions: readonly SessionSummary[]) => Promise<void>;
  /** Called with the error of a look, once until one succeeds again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Asks for the sessions to which any process has sent a message since the look before, and for those whose run was
 * interrupted, or whose question has expired, since then.
 * Keeps the process alive until it is closed.
 */
export class LookOut implements AsyncDisposable {
  readonly #options: LookOutOptions;
  /** When last looked at: the newest message in each inbox, the head of each session with an expired question and of each interrupted one. */
  #known: Found = { waiting: new Map(), expired: new Map(), interrupted: new Map() };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #closed = false;

  private constructor(options: LookOutOptions) {
    this.#options = options;
  }

  /** Begins; sessions that have something to do already are somebody else's to ask for. @throws errors of the store */
  static async begin(options: LookOutOptions): Promise<LookOut> {
    const lookOut = new LookOut(options);
    lookOut.#known = await lookAt(options.store);
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
    const { engine, store, onInterrupted, onError } = this.#options;
    try {
      const found = await lookAt(store);
      const { waiting, expired, interrupted } = this.#known;
      for (const [sessionId, messageId] of found.waiting) {
        if (waiting.get(sessionId) !== messageId && !this.#closed) await engine.submit(sessionId);
      }
      for (const [sessionId, head] of found.expired) {
        if (expired.get(sessionId) !== head && !this.#closed) await engine.submit(sessionId);
      }
      const left = [...found.interrupted.values()].filter(({ sessionId, head }) => {
        return interrupted.get(sessionId)?.head !== head;
      });
      if (left.length > 0 && !this.#closed) await onInterrupted(left);
      this.#known = found;
      this.#hasFailed = false;
    } catch (error) {
      if ((error as { readonly code?: unknown } | undefined)?.code === 'SESSION_CLOSED') this.#closed = true; // engine or store
      if (!this.#hasFailed && !this.#closed) onError(error);
      this.#hasFailed = true;
    }
  }
}

interface Found {
  readonly waiting: ReadonlyMap<string, string>;
  readonly expired: ReadonlyMap<string, number>;
  readonly interrupted: ReadonlyMap<string, SessionSummary>;
}

/** Three queries, whatever the number of sessions. Of very many interrupted or expired ones those that were used last. */
async function lookAt(store: SessionStore): Promise<Found> {
  const waiting = (await store.waiting?.()) ?? [];
  const { sessions } = await store.list({ state: 'interrupted', limit: MOST });
  const expired = await store.list({ state: 'waiting', expiredAt: Date.now(), limit: MOST });
  return {
    waiting: new Map(waiting.map(({ sessionId, messageId }) => [sessionId, messageId])),
    expired: new Map(expired.sessions.map(({ sessionId, head }) => [sessionId, head])),
    interrupted: new Map(sessions.map((session) => [session.sessionId, session])),
  };
}
