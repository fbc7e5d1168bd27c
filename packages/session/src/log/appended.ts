import type { EntryBody } from './entry.ts';
import type { ExpectedHead, SessionStore } from './session-store.ts';

/** Entries that this process has appended, behind the expected head. */
export interface Appended {
  readonly expected: ExpectedHead;
  readonly bodies: readonly EntryBody[];
}
type Listener = (entries: Appended) => void;

const listeners = new WeakMap<SessionStore, Map<string, Listener>>();
let count = 0;
const originals = new WeakMap<SessionStore, SessionStore>();

/** Makes `wrapper` count as the store that it wraps: who follows a session of one of them follows it on both. */
export function asOne(wrapper: SessionStore, store: SessionStore): SessionStore {
  originals.set(wrapper, originalOf(store));
  return wrapper;
}

/** The store inside all wrappers. */
export function originalOf(store: SessionStore): SessionStore {
  return originals.get(store) ?? store;
}

/** Calls `listener`, one for each session, after each append of this process through this store. Returns its end. */
export function onAppended(store: SessionStore, sessionId: string, listener: Listener): () => void {
  const original = originalOf(store);
  let ofStore = listeners.get(original);
  if (!ofStore) listeners.set(original, (ofStore = new Map()));
  ofStore.set(sessionId, listener);
  count += 1;
  return () => {
    if (listeners.get(original)?.delete(sessionId)) count -= 1;
  };
}

/** Never throws: a listener is not to. */
export function appended(store: SessionStore, sessionId: string, entries: Appended): void {
  if (count > 0) listeners.get(originalOf(store))?.get(sessionId)?.(entries);
}
