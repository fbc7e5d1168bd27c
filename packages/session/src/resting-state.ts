import type { Message } from '@x/core';
import { type SessionState, scopeOf } from './log/fold.ts';
import { packState, unpackState } from './log/pack-state.ts';
import type { SessionStore } from './log/session-store.ts';

/** Sessions of one store whose state stays unpacked between runs; older ones are packed into one buffer each. */
const AWAKE = 32;

/** The most recent sessions of each store, oldest first. */
const recent = new WeakMap<SessionStore, Set<RestingState>>();

/** What a session knows of its log between two runs: as objects while it is in use, as bytes when others were used since. */
export class RestingState {
  readonly #store: SessionStore;
  #awake: SessionState | undefined;
  #packed: Uint8Array | undefined;
  #inUse = false;

  constructor(store: SessionStore, state: SessionState) {
    this.#store = store;
    this.rest(state);
  }

  /** The state as objects; the run that takes it changes it, so it stays unpacked until `rest`. */
  wake(): SessionState {
    this.#awake ??= unpackState(this.#packed!); // one of the two is always there
    this.#packed = undefined;
    this.#inUse = true;
    recent.get(this.#store)?.delete(this);
    return this.#awake;
  }

  /** What the run has left. */
  rest(state: SessionState): void {
    this.#awake = state;
    this.#packed = undefined;
    this.#inUse = false;
    const awake = recent.get(this.#store) ?? new Set();
    recent.set(this.#store, awake);
    awake.delete(this);
    awake.add(this);
    if (awake.size > AWAKE) {
      const [oldest] = awake;
      oldest!.#pack();
      awake.delete(oldest!);
    }
  }

  /** After a run that could not begin: rests with what was woken. */
  settle(): void {
    if (this.#inUse) this.rest(this.wake());
  }

  /** The conversation of the session's own agent, in a fresh array. */
  messages(): Message[] {
    const state = this.#awake ?? unpackState(this.#packed!);
    return [...scopeOf(state, []).messages];
  }

  /** Lets go of the session's place among the recent ones. */
  close(): void {
    recent.get(this.#store)?.delete(this);
  }

  #pack(): void {
    if (this.#awake) this.#packed = packState(this.#awake);
    this.#awake = undefined;
  }
}
