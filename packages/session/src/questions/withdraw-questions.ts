import { isAgentError } from '@x/core';
import type { EntryBody } from '../log/entry.ts';
import { endOfRun, type SessionState } from '../log/fold.ts';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import { isRetryable, type SlowStretch, whileSlow } from '../log/slow-store.ts';

/** Milliseconds for which a slow store is waited for, and whoever holds the session for a moment. */
const PATIENCE_MS = 30_000;

/** Owns the session for one append. */
export type AppendOnce = (bodiesFor: (state: SessionState) => readonly EntryBody[]) => Promise<void>;

/** The end of a run that waits for answers, without them; nothing for any other. */
function endOfWaiting(state: SessionState): readonly EntryBody[] {
  return state.run?.waits ? endOfRun(state, 'aborted') : [];
}

/** Ends the run of a session as aborted, if it waits for answers. @throws errors of the store, and of `append` */
export async function withdrawQuestions(
  store: SessionStore,
  sessionId: string,
  { append, stretch }: { readonly append: AppendOnce; readonly stretch?: SlowStretch },
): Promise<void> {
  const limit = performance.now() + PATIENCE_MS;
  const isSlow = (error: unknown) => isRetryable(error) || (isAgentError(error) && error.code === 'SESSION_BUSY');
  const withdraw = async () => {
    if ((await readState(store, sessionId)).run?.waits) await append(endOfWaiting);
  };
  await whileSlow(withdraw, { until: () => limit, stretch, isSlow });
}
