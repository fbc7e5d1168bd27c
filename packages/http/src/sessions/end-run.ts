import { isAgentError } from '@x/core';
import type { SessionSummary } from '@x/session';
import type { HostParts } from './host-parts.ts';
import { withSession } from './profiles.ts';

/** Nothing is left to end, or somebody has taken the session in this very moment. */
const LATE: readonly string[] = ['NOTHING_TO_STREAM', 'SESSION_BUSY'];

/** Ends the open run of a session as aborted, whoever runs it; false when there is none. */
export async function endRun(parts: HostParts, session: SessionSummary): Promise<boolean> {
  const { sessionId, state } = session;
  const live = parts.live.get(sessionId);
  if (live) {
    live.abort();
    return true;
  }
  if (state === 'idle') return false;
  try {
    await withSession(
      parts,
      session,
      async (opened) => {
        if (state === 'waiting') return opened.abort(); // closing waits for it
        for await (const _ of opened.stream()) break; // leaving a run ends it
      },
      { takeOver: state === 'running' },
    );
    return true;
  } catch (error) {
    if (isAgentError(error) && LATE.includes(error.code)) return false;
    throw error;
  }
}
