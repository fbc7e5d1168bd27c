import type { SessionStore } from './session-store.ts';

/**
 * What happens to the owners of sessions. `lost`: an owner has lost its session, to another or because its store has failed. `taken_up`: it goes on
 * with the run of an owner before it, which was cut off, has left in good order, or has left because the run waited for an answer.
 */
export type OwnerEvent =
  | { readonly type: 'lost'; readonly error: unknown }
  | { readonly type: 'taken_up'; readonly after: 'interrupted' | 'left' | 'waiting' };
type Listener = (event: OwnerEvent) => void;

const listeners = new WeakMap<SessionStore, Listener>();

/** Calls `listener` with the events of sessions that are opened with this very store. It must not throw. */
export function onOwnerEvent(store: SessionStore, listener: Listener): void {
  listeners.set(store, listener);
}

export function ownerEvent(store: SessionStore, event: OwnerEvent): void {
  listeners.get(store)?.(event);
}
