import { type AgentEvent, isAgentError, type Message } from '@x/core';
import { messageOf } from '@x/core/internal';
import { type SessionState, scopeOf } from '../log/fold.ts';
import { loadStateNow } from '../log/load-state.ts';
import type { LoadedState } from '../log/loading.ts';
import { packState, unpackState } from '../log/pack-state.ts';
import type { KnownState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { isSnapshotDue, type Mark } from '../log/snapshot.ts';
import { saveState, takeSnapshot } from '../log/take-snapshot.ts';

/** Sessions per store that keep their state between runs; older ones drop it. */
const AWAKE = 32;

/** The most recent sessions of each store, oldest first. */
const recent = new WeakMap<SessionStore, Set<RestingState>>();

/**
 * Knowledge of a session about its log between two runs: objects while in use; after others were used, nothing if the store has synchronous
 * reads, else bytes.
 */
export class RestingState implements KnownState {
  readonly #store: SessionStore;
  readonly #sessionId: string;
  #state: SessionState | Uint8Array | undefined;
  /** Entries that the newest snapshot covers, as far as known. */
  #covered = 0;
  /** An entry that was read of the log. */
  #mark: Mark | undefined;
  #inUse = false;
  #waits = false;
  #saving: Promise<void> | undefined;
  #notices: AgentEvent[] | undefined;

  /** Without `state` it is read when needed; the store must have `now`. */
  constructor(store: SessionStore, sessionId: string, state: SessionState | undefined) {
    this.#store = store;
    this.#sessionId = sessionId;
    if (state) this.#keep({ state, covered: 0 });
  }

  /** The state in memory, as objects. */
  get loaded(): LoadedState | undefined {
    if (this.#state instanceof Uint8Array) this.#state = unpackState(this.#state);
    return this.#state && { state: this.#state, covered: this.#covered, mark: this.#mark };
  }

  /** Prepares a run, which changes the state: it stays as objects until `rest`. */
  wake(): this {
    this.#inUse = true;
    recent.get(this.#store)?.delete(this);
    return this;
  }

  /** Sets the state loaded from the log; the run folds what it appends into it. */
  load({ state, covered, mark }: LoadedState): void {
    this.#state = state;
    this.#covered = covered;
    this.#mark = mark;
  }

  /** Keeps the state that the run has left. */
  rest(state: SessionState): void {
    this.#inUse = false;
    this.#keep({ state, covered: this.#covered, mark: this.#mark });
    if (!state.run && isSnapshotDue(state.head, this.#covered)) this.#saving ??= this.#save();
  }

  /** Rests with the state before, after a run that could not begin. */
  settle(): void {
    if (!this.#inUse) return;
    this.#inUse = false;
    if (this.loaded) this.#keep(this.loaded);
  }

  /** The state of the log. Read only. @throws SessionError when it was dropped and cannot be read */
  get state(): SessionState {
    const loaded = this.loaded ?? loadStateNow(this.#store.now!, this.#sessionId); // let go only where there is `now`
    if (!this.#inUse) this.#keep(loaded);
    return loaded.state;
  }

  /** The conversation of the session's own agent, in a fresh array. */
  messages(): Message[] {
    return [...scopeOf(this.state, []).messages];
  }

  /** Notices for the observers of the next run; removes them. */
  takeNotices(): readonly AgentEvent[] {
    return this.#notices?.splice(0) ?? [];
  }

  /** Leaves the list of recent sessions. Resolves when nothing is being written any more. */
  async close(): Promise<void> {
    recent.get(this.#store)?.delete(this);
    await this.#saving;
  }

  /** True when the run was waiting for answers when last looked at. */
  get waits(): boolean {
    return this.#waits;
  }

  #keep(loaded: LoadedState): void {
    this.load(loaded);
    this.#waits = loaded.state.run?.waits ?? false;
    const awake = recent.get(this.#store) ?? new Set();
    recent.set(this.#store, awake);
    awake.delete(this);
    awake.add(this);
    if (awake.size > AWAKE) {
      const [oldest] = awake;
      oldest!.#letGo();
      awake.delete(oldest!);
    }
  }

  #letGo(): void {
    if (this.#store.now) this.#state = undefined;
    else if (this.#state && !(this.#state instanceof Uint8Array)) this.#state = packState(this.#state);
  }

  /** Saves a snapshot of the state in memory; returns the entries it covers, undefined when a run has begun to change the state. */
  async #saved(): Promise<number | undefined> {
    const { loaded } = this;
    if (!loaded || this.#inUse) return undefined;
    const { head } = loaded.state;
    return (await saveState(this.#store, this.#sessionId, loaded, () => !this.#inUse)) ? head : undefined;
  }

  /** Never fails: a snapshot saves time only, and the next run tries again. */
  async #save(): Promise<void> {
    try {
      await new Promise((resolve) => setImmediate(resolve)); // whoever reads the run is told first that it is over
      this.#covered = (await this.#saved()) ?? (await takeSnapshot(this.#store, this.#sessionId));
    } catch (error) {
      const message = `No snapshot of session ${this.#sessionId} could be saved, so resuming it takes longer: ${messageOf(error)}`;
      const isGone = isAgentError(error) && (error.code === 'SESSION_CLOSED' || error.code === 'SESSION_NOT_FOUND');
      if (!isGone) (this.#notices ??= []).push({ type: 'notification', kind: 'snapshot_failed', message });
    } finally {
      this.#saving = undefined;
    }
  }
}
