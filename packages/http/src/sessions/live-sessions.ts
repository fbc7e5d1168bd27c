import { sleep } from '@x/core';
import type { ISession, SessionSummary } from '@x/session';

/** Milliseconds. */
const MOMENT_MS = 1_000;

interface Live {
  readonly session: ISession;
  /** Resolves when it is closed. */
  readonly ended: Promise<void>;
}

/** The sessions that this process is running. */
export class LiveSessions {
  readonly #live = new Map<string, Live>();

  /** Called when a session is opened to be run; the function it returns is called when it is closed. */
  readonly opened = (session: ISession): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#live.set(session.sessionId, { session, ended: promise });
    return () => {
      this.#live.delete(session.sessionId);
      resolve();
    };
  };

  get(sessionId: string): ISession | undefined {
    return this.#live.get(sessionId)?.session;
  }

  /** Resolves when the session is not run here any more. */
  async ended(sessionId: string): Promise<void> {
    await this.#live.get(sessionId)?.ended;
  }

  /** Gives a run that has ended a moment to give its session back: whoever has seen its result may be here first. */
  async rested({ sessionId, state }: SessionSummary): Promise<void> {
    const live = this.#live.get(sessionId);
    if (!live || state !== 'idle') return;
    const over = new AbortController();
    await Promise.race([live.ended, sleep(MOMENT_MS, over.signal).catch(() => undefined)]);
    over.abort();
  }
}
