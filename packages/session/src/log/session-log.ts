import { SessionError } from '@x/core';
import type { EntryBody } from './entry.ts';
import { apply, type SessionState } from './fold.ts';
import { mayBeLarge, storeLarge } from './large-body.ts';
import { loadState, markAt } from './load-state.ts';
import type { LoadedState } from './loading.ts';
import { FORMAT_STEPS, type FormatStep, newestFormat } from './log-format.ts';
import { busyElsewhere } from './ownership.ts';
import type { Lease, SessionStore } from './session-store.ts';

/** Milliseconds. */
const LEASE_MS = 30_000;

export interface SessionLogOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Told when the session was lost to another owner, or the store fails; nothing more can be written. */
  readonly onLost: (reason: unknown) => void;
  /** What an earlier owner in this process has folded; only what was appended since is read. */
  readonly known?: KnownState | undefined;
  /** What brings older formats of a log forward. Default: those of this version. */
  readonly steps?: readonly FormatStep[];
}
/** Where the state of a session is kept between two owners. */
export interface KnownState {
  /** What was folded before, unless it was let go. */
  readonly loaded: LoadedState | undefined;
  /** Told what the log comes to; its owner folds what it appends into the same state. */
  load(loaded: LoadedState): void;
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
  /** Of the log, once all appends that were begun are done. */
  #format: number;
  readonly #steps: readonly FormatStep[];
  #broken: unknown;
  #closing: Promise<void> | undefined;
  #storing: Promise<unknown> | undefined;

  private constructor(lease: Lease, state: SessionState, { store, onLost, steps = FORMAT_STEPS }: SessionLogOptions) {
    this.#store = store;
    this.#lease = lease;
    this.#onLost = onLost;
    this.state = state;
    this.#expected = state.head;
    this.#format = state.format;
    this.#steps = steps;
    this.#heartbeat = setInterval(() => void this.#renew(), LEASE_MS / 3);
    this.#heartbeat.unref();
  }

  /** Takes the lease and reads the log. @throws SessionError `SESSION_BUSY` while another owner holds it, `SESSION_NOT_FOUND` */
  static async open(options: SessionLogOptions): Promise<SessionLog> {
    const { store, sessionId } = options;
    const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
    if (!lease) throw busyElsewhere(sessionId);
    try {
      const loaded = await loadedAt(lease.head, options);
      options.known?.load(loaded);
      return new SessionLog(lease, loaded.state, options);
    } catch (error) {
      await store.release(lease);
      throw error;
    }
  }

  /** Appends all or nothing; resolves when it is durable. `consume` takes messages out of the inbox in the same step. */
  async append(asked: readonly EntryBody[], consume?: readonly string[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const bodies = this.#raised(asked);
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
    for (const body of bodies) apply(this.state, body, this.#steps);
  }

  /** Gives the lease back. Safe to call twice. */
  close(): Promise<void> {
    clearInterval(this.#heartbeat);
    return (this.#closing ??= this.#store.release(this.#lease));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** An older log is in the newest format from the first append on; versions that do not know it are told so by the first entry. */
  #raised(bodies: readonly EntryBody[]): readonly EntryBody[] {
    const format = newestFormat(this.#steps);
    if (this.#format >= format) return bodies;
    this.#format = format;
    return [{ type: 'format_raised', format }, ...bodies];
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

/** What is known already, brought up to `head`; nothing is known of a log that has taken the place of a removed one. */
async function loadedAt(head: number, { store, sessionId, known, steps }: SessionLogOptions): Promise<LoadedState> {
  const before = known?.loaded;
  const isThisLog = before !== undefined && before.state.head <= head && (await hasMark(store, sessionId, before));
  if (isThisLog && before.state.head === head) return before;
  return await loadState(store, sessionId, { ...(isThisLog ? { known: before } : {}), ...(steps ? { steps } : {}) });
}

async function hasMark(store: SessionStore, sessionId: string, { mark }: LoadedState): Promise<boolean> {
  const found = mark && (await markAt(store, sessionId, mark.seq));
  return found !== undefined && found.at === mark?.at && found.epoch === mark.epoch;
}

/** The state of a session, read from its log without owning it. */
export async function readState(store: SessionStore, sessionId: string): Promise<SessionState> {
  return (await loadState(store, sessionId)).state;
}
