import { isAgentError, type Message } from '@x/core';
import { isDeepEqual } from '../host/deep-equal.ts';
import { appended } from './appended.ts';
import type { EntryBody } from './entry.ts';
import { apply, type SessionState, scopeOf } from './fold.ts';
import { HeldLease } from './held-lease.ts';
import { mayBeLarge, readBody, storeLarge } from './large-body.ts';
import { isSameLog, loadState } from './load-state.ts';
import type { LoadedState } from './loading.ts';
import { FORMAT_STEPS, type FormatStep, newestFormat } from './log-format.ts';
import { ownerEvent } from './owner-events.ts';
import type { ExpectedHead, SessionStore } from './session-store.ts';
import { isRetryable, type SlowStretch, whileSlow } from './slow-store.ts';

export interface SessionLogOptions {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Called when the session is lost to another owner, or the store fails for good; nothing more can be written. */
  readonly onLost: (reason: unknown) => void;
  /** Once aborted, failures are not retried. */
  readonly signal?: AbortSignal | undefined;
  /** Begins when something has to wait for a slow store. */
  readonly stretch?: SlowStretch | undefined;
  /** State that an earlier owner in this process has folded; only entries appended since are read. */
  readonly known?: KnownState | undefined;
  /** Steps that convert older formats of a log. Default: those of this version. */
  readonly steps?: readonly FormatStep[];
}
/** Keeps the state of a session between two owners. */
export interface KnownState {
  /** The state folded earlier, unless it was dropped. */
  readonly loaded: LoadedState | undefined;
  /** Called with the loaded state, into which its owner folds what it appends. */
  load(loaded: LoadedState): void;
}

/** One append, as requested. */
interface Append {
  readonly expected: ExpectedHead;
  readonly bodies: readonly EntryBody[];
  readonly consume: readonly string[] | undefined;
}

/**
 * The owner's side of one session's log: holds the lease with a heartbeat, folds what it reads and appends, writes in order. While the
 * store is slow (its errors are `retryable`) appends wait, for as long as the lease lasts. Closed by `close`. After an append was refused
 * or has failed for good, every later one rejects with the same error.
 */
export class SessionLog implements AsyncDisposable {
  readonly state: SessionState;
  readonly #options: SessionLogOptions;
  readonly #store: SessionStore;
  readonly #held: HeldLease;
  /** The head after all appends begun so far. */
  #expected: number;
  /** The format of the log after all appends begun so far. */
  #format: number;
  readonly #steps: readonly FormatStep[];
  #broken: unknown;
  #closing: Promise<void> | undefined;
  #storing: Promise<unknown> | undefined;
  /** The append that was begun last. */
  #last: Promise<void> = Promise.resolve();
  /** Appends that were begun and are not done. */
  #open = 0;

  private constructor(held: HeldLease, state: SessionState, options: SessionLogOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#held = held;
    this.state = state;
    this.#expected = state.head;
    this.#format = state.format;
    this.#steps = options.steps ?? FORMAT_STEPS;
  }

  /** Takes the lease and reads the log. @throws SessionError `SESSION_BUSY` while another owner holds it, `SESSION_NOT_FOUND` */
  static async open(options: SessionLogOptions): Promise<SessionLog> {
    let lost: { readonly reason: unknown } | undefined;
    let log: SessionLog | undefined;
    const onLost = (reason: unknown) => {
      lost = { reason };
      if (log) log.#fail(reason);
    };
    const held = await HeldLease.take({ ...options, onLost });
    try {
      const { signal, stretch } = options;
      const patience = { until: () => held.until, signal, stretch };
      const loaded = await whileSlow(() => loadedAt(held.lease.head, options), patience);
      options.known?.load(loaded);
      log = new SessionLog(held, loaded.state, options);
      if (lost) log.#fail(lost.reason);
      return log;
    } catch (error) {
      await held.release(Promise.resolve());
      throw error;
    }
  }

  /** Appends all or nothing; resolves when durable. `consume` takes messages out of the inbox in the same step. */
  append(asked: readonly EntryBody[], consume?: readonly string[]): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    const bodies = this.#raised(asked);
    const append: Append = { expected: { epoch: this.#held.lease.epoch, head: this.#expected }, bodies, consume };
    this.#expected += bodies.length;
    const before = this.#open === 0 ? undefined : this.#last;
    this.#open += 1;
    return (this.#last = this.#record(append, before));
  }

  /** Waits for the appends before it. */
  async #record(append: Append, before: Promise<void> | undefined): Promise<void> {
    try {
      try {
        await this.#attempt(append);
      } catch (error) {
        await this.#tryAgain(append, { error, before });
      }
      if (before) await before; // a promise that nobody waits for is not asked
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#open -= 1;
    }
    for (const body of append.bodies) apply(this.state, body, this.#steps);
    appended(this.#store, this.#held.lease.sessionId, append);
  }

  /** Resolves when the appends begun so far have ended; who began one is told of its failure. */
  async settled(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  /** The number of the last entry whose append was begun. */
  get begun(): number {
    return this.#expected;
  }

  /** Of its lease. */
  get epoch(): number {
    return this.#held.lease.epoch;
  }

  /** Gives the lease back. Safe to call twice. */
  close(): Promise<void> {
    return (this.#closing ??= this.#held.release(this.#last.catch(() => undefined)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #attempt({ expected, bodies, consume }: Append): Promise<unknown> {
    const { sessionId } = this.#held.lease;
    const stored = this.#stored(bodies);
    const append = (entries: readonly EntryBody[]) => this.#store.append(sessionId, expected, entries, consume);
    return stored instanceof Promise ? stored.then(append) : append(stored);
  }

  /**
   * Retries after an error that guarantees that nothing was recorded: at the same head and epoch, after all appends before it, while the
   * lease lasts. If refused at this head it may have come too early, or be recorded already.
   */
  async #tryAgain(
    append: Append,
    { error, before }: { error: unknown; before: Promise<void> | undefined },
  ): Promise<void> {
    const isSlow = isRetryable(error);
    if (!isSlow && !isConflict(error)) throw error;
    const { signal, stretch } = this.#options;
    const attempt = async () => {
      try {
        await this.#attempt(append);
      } catch (reason) {
        if (!isConflict(reason) || !(await this.#isRecorded(append))) throw reason;
      }
    };
    const until = () => (this.#broken === undefined ? this.#held.until : 0);
    if (isSlow) stretch?.begin(error);
    try {
      await before?.catch(() => undefined); // it has broken the log then
      if (this.#broken !== undefined || signal?.aborted) throw error;
      await whileSlow(attempt, { until, signal, stretch });
    } finally {
      if (isSlow) stretch?.end();
    }
  }

  /** True when an earlier try is in the log although it was reported as failed. */
  async #isRecorded({ expected: { epoch, head }, bodies }: Append): Promise<boolean> {
    const { sessionId } = this.#held.lease;
    const found = await Array.fromAsync(this.#store.read(sessionId, { after: head, upTo: head + bodies.length }));
    if (bodies.length === 0 || found.length !== bodies.length) return false;
    for (const [index, entry] of found.entries()) {
      const body = await readBody(this.#store, sessionId, entry.body);
      if (entry.epoch !== epoch || !isDeepEqual(body, JSON.parse(JSON.stringify(bodies[index])))) return false;
    }
    return true;
  }

  /** An older log gets the newest format with the first append; its first entry tells older versions that they cannot read it. */
  #raised(bodies: readonly EntryBody[]): readonly EntryBody[] {
    const format = newestFormat(this.#steps);
    if (this.#format >= format) return bodies;
    this.#format = format;
    return [{ type: 'format_raised', format }, ...bodies];
  }

  /** The bodies as the store takes them; while a large one is being stored, later ones wait for it, to keep the order. */
  #stored(bodies: readonly EntryBody[]): readonly EntryBody[] | Promise<readonly EntryBody[]> {
    const before = this.#storing;
    if (!before && !mayBeLarge(bodies)) return bodies;
    const storing = (async () => {
      await before;
      return await storeLarge(this.#store, this.#held.lease.sessionId, bodies);
    })();
    this.#storing = storing;
    const forget = () => {
      if (this.#storing === storing) this.#storing = undefined;
    };
    storing.then(forget, forget);
    return storing;
  }

  #fail(error: unknown): void {
    if (this.#broken === undefined) ownerEvent(this.#store, { type: 'lost', error });
    this.#broken ??= error;
    this.#held.stop();
    this.#options.onLost(error);
  }
}

function isConflict(error: unknown): boolean {
  return isAgentError(error) && error.code === 'SESSION_CONFLICT';
}

/** The known state brought up to `head`; ignored when a new log has replaced a removed one. */
async function loadedAt(head: number, { store, sessionId, known, steps }: SessionLogOptions): Promise<LoadedState> {
  const before = known?.loaded;
  const isThisLog =
    before !== undefined && before.state.head <= head && (await isSameLog(store, sessionId, before.mark));
  if (isThisLog && before.state.head === head) return before;
  return await loadState(store, sessionId, { ...(isThisLog ? { known: before } : {}), ...(steps ? { steps } : {}) });
}

/** The state of a session, read from its log without owning it. */
export async function readState(store: SessionStore, sessionId: string): Promise<SessionState> {
  return (await loadState(store, sessionId)).state;
}

/** The messages of a session, as the model is shown them, from the log. @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED` */
export async function conversationOf(store: SessionStore, sessionId: string): Promise<readonly Message[]> {
  return scopeOf(await readState(store, sessionId), []).messages;
}
