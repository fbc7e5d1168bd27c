import { isAgentError } from '@x/core';
import type { EntryBody } from '../log/entry.ts';
import type { SessionState } from '../log/fold.ts';
import { loadState } from '../log/load-state.ts';
import { busy } from '../log/ownership.ts';
import { type KnownState, SessionLog } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { askedFacts } from '../log/title.ts';
import type { RestingState } from './resting-state.ts';

/** Records entries other than those of runs: through the run under way, else by owning the session for one append. */
export class SessionFacts {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  readonly #state: RestingState;
  /** Of the run under way. */
  #log: SessionLog | undefined;
  /** Serializes the appends; a run takes its lease between two of them. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ store, sessionId, state }: { store: SessionStore; sessionId: string; state: RestingState }) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#state = state;
  }

  /**
   * Appends the entry that `bodyFor` makes of the present state; durable when it resolves. @throws SessionError `SESSION_BUSY` while the
   * session is run elsewhere
   */
  record(bodyFor: (state: SessionState) => EntryBody): Promise<void> {
    return this.recordAll((state) => [bodyFor(state)]);
  }

  /** `record` for several entries, or none. */
  recordAll(bodiesFor: (state: SessionState) => readonly EntryBody[]): Promise<void> {
    return this.#inTurn(() => this.#append(bodiesFor));
  }

  /** Owns the session while something is done that no run may overlap. @throws SessionError `SESSION_BUSY` while it is run, here or elsewhere */
  owning<T>(work: (log: SessionLog) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (this.#log) throw await busy(this.#store, this.#sessionId, 'is being run; wait until the run has ended');
      const owning = { store: this.#store, sessionId: this.#sessionId, onLost: () => undefined }; // an append tells it
      const log = await SessionLog.open({ ...owning, known: this.#state.wake() });
      try {
        return await work(log);
      } finally {
        await log.close().finally(() => this.#state.settle());
      }
    });
  }

  /** Opens the log for a run; until `returned`, entries are recorded through it. */
  lend(open: () => Promise<SessionLog>): Promise<SessionLog> {
    return this.#inTurn(async () => (this.#log = await open()));
  }

  /** True while a run of this session object is under way. */
  get isRun(): boolean {
    return this.#log !== undefined;
  }

  /** Marks the run as over, its lease released. */
  returned(): void {
    this.#log = undefined;
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    // The caller gets the result; keeping it here would hold the whole run in memory.
    const forget = () => undefined;
    this.#last = done.then(forget, forget);
    return done;
  }

  async #append(bodiesFor: (state: SessionState) => readonly EntryBody[]): Promise<void> {
    try {
      if (this.#log) return await this.#log.append(bodiesFor(this.#log.state));
    } catch (error) {
      // The run has just ended, and another owner was faster.
      if (!isAgentError(error) || error.code !== 'SESSION_FENCED') throw error;
    }
    try {
      await appendOnce(this.#store, this.#sessionId, bodiesFor, this.#state.wake());
    } finally {
      this.#state.settle();
    }
  }
}

/**
 * Records the title and metadata in a session's options, unless the log has them already; returns the resulting state, undefined when
 * nothing is named. @throws SessionError `SESSION_BUSY` while the session is run elsewhere
 */
export async function recordAsked(
  store: SessionStore,
  sessionId: string,
  asked: Parameters<typeof askedFacts>[0],
): Promise<SessionState | undefined> {
  if (asked.title === undefined && asked.metadata === undefined) return undefined;
  const { state } = await loadState(store, sessionId);
  if (askedFacts(asked, state).length === 0) return state;
  return await appendOnce(store, sessionId, (now) => askedFacts(asked, now));
}

/**
 * Owns a session for one append, of the entries that `bodiesFor` makes of its present state; returns the state after it. Others may have
 * written to it since it was last read. @throws SessionError `SESSION_BUSY`, `SESSION_NOT_FOUND`
 */
export async function appendOnce(
  store: SessionStore,
  sessionId: string,
  bodiesFor: (state: SessionState) => readonly EntryBody[],
  known?: KnownState,
): Promise<SessionState> {
  // The append itself reports a lost lease.
  const log = await SessionLog.open({ store, sessionId, known, onLost: () => undefined });
  try {
    const bodies = bodiesFor(log.state);
    const appended = bodies.length > 0 ? log.append(bodies) : undefined;
    await Promise.all([appended, log.close()]); // both in one commit
    return log.state;
  } finally {
    await log.close();
  }
}
