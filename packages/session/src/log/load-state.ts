import { type LoadedState, Loading, type LoadOptions } from './loading.ts';
import type { EntryRange, ImmediateReads, SessionStore, Snapshot } from './session-store.ts';
import { SNAPSHOT_FORMAT } from './snapshot.ts';

/**
 * What the log comes to: the newest snapshot and the entries behind it, read without owning the session.
 * @throws SessionError `SESSION_NOT_FOUND`, `SESSION_CONFLICT` for a log that is damaged or of a newer version
 */
export async function loadState(
  store: SessionStore,
  sessionId: string,
  options: LoadOptions = {},
): Promise<LoadedState> {
  const snapshot = options.known ? undefined : await store.latestSnapshot(sessionId, SNAPSHOT_FORMAT);
  let isOfThisLog = false;
  if (snapshot) for await (const _ of store.read(sessionId, lastOf(snapshot))) isOfThisLog = true;
  const loading = new Loading(sessionId, isOfThisLog ? snapshot : undefined, options);
  for await (const entry of store.read(sessionId, loading.range)) {
    const blob = entry.body?.type === 'blob' ? await store.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
  }
  return loading.done();
}

/** `loadState`, answered at once by stores that can. */
export function loadStateNow(now: ImmediateReads, sessionId: string, options: LoadOptions = {}): LoadedState {
  const snapshot = options.known ? undefined : now.latestSnapshot(sessionId, SNAPSHOT_FORMAT);
  let isOfThisLog = false;
  if (snapshot) for (const _ of now.read(sessionId, lastOf(snapshot))) isOfThisLog = true;
  const loading = new Loading(sessionId, isOfThisLog ? snapshot : undefined, options);
  for (const entry of now.read(sessionId, loading.range)) {
    const blob = entry.body?.type === 'blob' ? now.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
  }
  return loading.done();
}

/** The last entry that a snapshot covers. A log without it is not the one that the snapshot was taken of. */
function lastOf({ seq }: Snapshot): EntryRange {
  return { after: seq - 1, upTo: seq };
}
