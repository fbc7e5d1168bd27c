import type { SessionState } from './fold.ts';
import { loadState } from './load-state.ts';
import { Loading } from './loading.ts';
import type { SessionStore } from './session-store.ts';

/** Entries of a log that resuming reads immediately, so that damage is reported immediately. */
const SHORT = 100;

/** Facts that resuming needs of a session. */
export interface FirstLook {
  readonly cwd: string;
  /** Absent for a long log that the store can read synchronously: it is read when needed. */
  readonly state?: SessionState;
}

/** @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED` as far as it was read, `LOG_TOO_NEW` */
export async function firstLook(store: SessionStore, sessionId: string): Promise<FirstLook> {
  if (!store.now || !(await hasMoreThan(SHORT, store, sessionId))) {
    const { state } = await loadState(store, sessionId);
    return { cwd: state.cwd, state };
  }
  const loading = new Loading(sessionId, undefined);
  for await (const entry of store.read(sessionId, { upTo: 1 })) loading.add(entry, undefined);
  return { cwd: loading.done().state.cwd };
}

async function hasMoreThan(entries: number, store: SessionStore, sessionId: string): Promise<boolean> {
  for await (const _ of store.read(sessionId, { after: entries, upTo: entries + 1 })) return true;
  return false;
}
