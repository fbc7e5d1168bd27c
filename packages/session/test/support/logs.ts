import type { EntryBody, SessionStore } from '../../src/index.ts';
import { memoryStore } from '../../src/index.ts';
import { apply, emptyState, type SessionState } from '../../src/log/fold.ts';

/** What the whole log comes to. */
export function folded(log: readonly EntryBody[]): SessionState {
  const state = emptyState();
  for (const body of log) apply(state, body);
  return state;
}

/** A store with one session `s` that has this log. */
export async function storedLog(
  [first, ...others]: readonly EntryBody[],
  store: SessionStore = memoryStore(),
): Promise<SessionStore> {
  await store.create('s', first!);
  const lease = await store.acquire('s', 'me', 60_000);
  await store.append('s', { epoch: lease!.epoch, head: 1 }, others);
  await store.release(lease!);
  return store;
}
