import { inTurns } from '../host/loop-share.ts';
import { isSameLog, loadState, markAt } from './load-state.ts';
import type { LoadedState } from './loading.ts';
import type { SessionStore } from './session-store.ts';
import { isSnapshotDue, makingSnapshot } from './snapshot.ts';

/** Saves a snapshot if one is due, and resolves with the number of entries that the newest snapshot covers. */
export async function takeSnapshot(store: SessionStore, sessionId: string): Promise<number> {
  const { state, covered, mark } = await loadState(store, sessionId);
  if (!mark || !isSnapshotDue(state.head, covered)) return covered;
  await store.saveSnapshot(sessionId, await inTurns(makingSnapshot(sessionId, state, mark)));
  return state.head;
}

/**
 * Saves the state that a run has left in memory, frozen and so equal to the log, which is not read again. False when it was not saved: the
 * log is another one by now, or `isResting` has become false, after which the state may change.
 */
export async function saveState(
  store: SessionStore,
  sessionId: string,
  { state, mark: known }: LoadedState,
  isResting: () => boolean,
): Promise<boolean> {
  const mark = (await isSameLog(store, sessionId, known)) ? await markAt(store, sessionId, state.head) : undefined;
  const snapshot = mark && (await inTurns(whileResting(makingSnapshot(sessionId, state, mark), isResting)));
  if (!snapshot) return false;
  await store.saveSnapshot(sessionId, snapshot);
  return true;
}

function* whileResting<T>(steps: Generator<void, T>, isResting: () => boolean): Generator<void, T | undefined> {
  while (isResting()) {
    const step = steps.next();
    if (step.done) return step.value;
    yield;
  }
  return undefined;
}
