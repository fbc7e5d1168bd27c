import { inTurns } from '../loop-share.ts';
import { loadState } from './load-state.ts';
import type { SessionStore } from './session-store.ts';
import { isSnapshotDue, makingSnapshot } from './snapshot.ts';

/**
 * Saves what the log comes to if that is due, and resolves with the number of entries that the newest snapshot covers. It is made
 * of the log, never of what a run holds: a handler may have changed an object in place that the log has as it was.
 */
export async function takeSnapshot(store: SessionStore, sessionId: string): Promise<number> {
  const { state, covered, mark } = await loadState(store, sessionId);
  if (!mark || !isSnapshotDue(state.head, covered)) return covered;
  await store.saveSnapshot(sessionId, await inTurns(makingSnapshot(sessionId, state, mark)));
  return state.head;
}
