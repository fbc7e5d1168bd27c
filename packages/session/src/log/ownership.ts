import { SessionError } from '@x/core';
import type { SessionStore } from './session-store.ts';

/** Milliseconds; only as long as it takes to give it back. */
const LEASE_MS = 1_000;

/** Whether somebody owns the session, found out by owning it for a moment. */
export async function isOwned(store: Pick<SessionStore, 'acquire' | 'release'>, sessionId: string): Promise<boolean> {
  const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
  if (lease) await store.release(lease);
  return !lease;
}

/** @throws SessionError `SESSION_BUSY` while somebody owns the session, `SESSION_NOT_FOUND` */
export async function assertFree(store: SessionStore, sessionId: string): Promise<void> {
  if (await isOwned(store, sessionId)) throw busyElsewhere(sessionId);
}

export function busyElsewhere(sessionId: string): SessionError {
  return new SessionError(`Session ${sessionId} is being run elsewhere; wait until that run has ended`, {
    code: 'SESSION_BUSY',
  });
}
