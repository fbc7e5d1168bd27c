import { atOnce, inTurns } from '../host/loop-share.ts';
import { type LoadedState, Loading, type LoadOptions, startingAt } from './loading.ts';
import type { EntryRange, ImmediateReads, SessionStore } from './session-store.ts';
import { type Mark, SNAPSHOT_FORMAT } from './snapshot.ts';

/**
 * Loads the state of a session from the newest snapshot and the entries after it, without owning the session.
 * @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED`, `LOG_TOO_NEW`
 */
export async function loadState(
  store: SessionStore,
  sessionId: string,
  options: LoadOptions = {},
): Promise<LoadedState> {
  const snapshot = options.known ? undefined : await store.latestSnapshot(sessionId, SNAPSHOT_FORMAT);
  const mark = snapshot && (await markAt(store, sessionId, snapshot.seq));
  const found = mark && (await inTurns(startingAt(sessionId, { snapshot, mark })));
  const loading = new Loading(sessionId, found, options);
  for await (const entry of store.read(sessionId, loading.range)) {
    const blob = entry.body?.type === 'blob' ? await store.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
  }
  return loading.done();
}

/** `loadState` for stores with synchronous reads. */
export function loadStateNow(now: ImmediateReads, sessionId: string, options: LoadOptions = {}): LoadedState {
  const snapshot = options.known ? undefined : now.latestSnapshot(sessionId, SNAPSHOT_FORMAT);
  let mark: Mark | undefined;
  if (snapshot) for (const { seq, at, epoch } of now.read(sessionId, only(snapshot.seq))) mark = { seq, at, epoch };
  const found = snapshot && mark && atOnce(startingAt(sessionId, { snapshot, mark }));
  const loading = new Loading(sessionId, found, options);
  for (const entry of now.read(sessionId, loading.range)) {
    const blob = entry.body?.type === 'blob' ? now.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
  }
  return loading.done();
}

/** One entry as a mark; undefined when the log has no entry of that number. */
export async function markAt(store: SessionStore, sessionId: string, number: number): Promise<Mark | undefined> {
  let mark: Mark | undefined;
  for await (const { seq, at, epoch } of store.read(sessionId, only(number))) mark = { seq, at, epoch };
  return mark;
}

/** Compares an entry that was read with the present log: another log, later under the same id, has other times. */
export async function isSameLog(store: SessionStore, sessionId: string, mark: Mark | undefined): Promise<boolean> {
  const found = mark && (await markAt(store, sessionId, mark.seq));
  return found !== undefined && found.at === mark?.at && found.epoch === mark.epoch;
}

function only(seq: number): EntryRange {
  return { after: seq - 1, upTo: seq };
}
