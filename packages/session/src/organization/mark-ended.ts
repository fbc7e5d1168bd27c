import { isAgentError } from '@x/core';
import type { SessionStore } from '../log/session-store.ts';
import { recordAsked } from '../run/session-facts.ts';

/** Notes in the session's metadata that its agent has ended. A removed session needs no note. */
export async function markEnded(
  store: SessionStore,
  sessionId: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await recordAsked(store, sessionId, { metadata });
  } catch (error) {
    if (!isAgentError(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
  }
}
