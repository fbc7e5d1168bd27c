import type { ISession } from '@x/session';

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
}
