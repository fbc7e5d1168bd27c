import { messageOf, SessionError } from '@x/core';
import type { EntryBody, SessionEntry } from './entry.ts';
import { apply, emptyState, type SessionState } from './fold.ts';
import { mayBeLarge, readBody, storeLarge } from './large-body.ts';
import type { Lease, SessionStore } from './session-store.ts';

/** Milliseconds. */
const LEASE_MS = 30_000;

export interface SessionLogOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Told when the session was lost to another owner, or the store fails; nothing more can be written. */
  readonly onLost: (reason: unknown) => void;
  /** What an earlier owner in this process has folded; used when nothing was appended since. */
  readonly known?: SessionState | undefined;
}

/**
 * The owner's side of one session's log: holds the lease with a heartbeat, folds what it reads and what it appends, writes in order.
 * Closed by `close`. Once an append was refused or has failed, every later one rejects with the same error.
 */
export class SessionLog implements AsyncDisposable {
  readonly state: SessionState;
  readonly #store: SessionStore;
  readonly #lease: Lease;
  readonly #onLost: (reason: unknown) => void;
  readonly #heartbeat: NodeJS.Timeout;
  /** The head once all appends that were begun are done. */
  #expected: number;
  #broken: unknown;
  #closing: Promise<void> | undefined;
  #storing: Promise<unknown> | undefined;

  private constructor(lease: Lease, state: SessionState, { store, onLost }: SessionLogOptions) {
    this.#store = store;
    this.#lease = lease;
    this.#onLost = onLost;
    this.state = state;
    this.#expected = state.head;
    this.#heartbeat = setInterval(() => void this.#renew(), LEASE_MS / 3);
    this.#heartbeat.unref();
  }

  /** Takes the lease and reads the log. @throws SessionError `SESSION_BUSY` while another owner holds it, `SESSION_NOT_FOUND` */
  static async open(options: SessionLogOptions): Promise<SessionLog> {
    const { store, sessionId } = options;
    const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
    if (!lease) {
      throw new SessionError(`Session ${sessionId} is being run elsewhere; wait until that run has ended`, {
        code: 'SESSION_BUSY',
      });
    }
    try {
      return new SessionLog(lease, await load(store, sessionId, { head: lease.head, known: options.known }), options);
    } catch (error) {
      await store.release(lease);
      throw error;
    }
  }

  /** Appends all or nothing; resolves when it is durable. `consume` takes messages out of the inbox in the same step. */
  async append(bodies: readonly EntryBody[], consume?: readonly string[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const { sessionId, epoch } = this.#lease;
    const head = this.#expected;
    this.#expected += bodies.length;
    try {
      const stored = this.#stored(bodies);
      const entries = stored instanceof Promise ? await stored : stored;
      await this.#store.append(sessionId, { epoch, head }, entries, consume);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    for (const body of bodies) apply(this.state, body);
  }

  /** Gives the lease back. Safe to call twice. */
  close(): Promise<void> {
    clearInterval(this.#heartbeat);
    return (this.#closing ??= this.#store.release(this.#lease));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The bodies as the store takes them; while a large one is on its way, later ones wait behind it, so that order holds. */
  #stored(bodies: readonly EntryBody[]): readonly EntryBody[] | Promise<readonly EntryBody[]> {
    const before = this.#storing;
    if (!before && !bodies.some(mayBeLarge)) return bodies;
    const storing = (async () => {
      await before;
      return await storeLarge(this.#store, this.#lease.sessionId, bodies);
    })();
    this.#storing = storing;
    const forget = () => {
      if (this.#storing === storing) this.#storing = undefined;
    };
    storing.then(forget, forget);
    return storing;
  }

  async #renew(): Promise<void> {
    try {
      if (await this.#store.renew(this.#lease, LEASE_MS)) return;
      throw new SessionError(`Session ${this.#lease.sessionId} was taken over by another owner`, {
        code: 'SESSION_FENCED',
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#broken ??= error;
    clearInterval(this.#heartbeat);
    this.#onLost(error);
  }
}

async function load(
  store: SessionStore,
  sessionId: string,
  { head, known }: { head: number; known?: SessionState | undefined },
): Promise<SessionState> {
  if (known?.head === head) return known;
  return await readState(store, sessionId);
}

/** The state of a session, read from its log without owning it. */
export async function readState(store: SessionStore, sessionId: string): Promise<SessionState> {
  const state = emptyState();
  for await (const entry of store.read(sessionId)) {
    checkOrder(entry, state, sessionId);
    const body = await readBody(store, sessionId, entry.body);
    try {
      apply(state, body);
    } catch (cause) {
      throw unreadable(sessionId, entry.seq, cause);
    }
  }
  if (state.cwd === '') throw unreadable(sessionId, 1, 'It is missing, or of another kind');
  return state;
}

function unreadable(sessionId: string, seq: number, cause: unknown): SessionError {
  return new SessionError(`Entry ${seq} of session ${sessionId} cannot be read: ${messageOf(cause)}`, {
    code: 'SESSION_CONFLICT',
    cause,
  });
}

function checkOrder(entry: SessionEntry, state: SessionState, sessionId: string): void {
  if (entry.seq === state.head + 1) return;
  throw new SessionError(`The log of session ${sessionId} has no entry ${state.head + 1}; restore it from a copy`, {
    code: 'SESSION_CONFLICT',
  });
}
