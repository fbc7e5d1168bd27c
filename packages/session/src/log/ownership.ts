import { SessionError } from '@x/core';
import type { SessionStore } from './session-store.ts';

/** Milliseconds; only as long as it takes to give it back. */
const LEASE_MS = 1_000;

/** True while somebody owns the session, found out by acquiring the lease for a moment. */
export async function isOwned(store: Pick<SessionStore, 'acquire' | 'release'>, sessionId: string): Promise<boolean> {
  const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
  if (lease) await store.release(lease);
  return !lease;
}

/** Checks that nobody owns the session. @throws SessionError `SESSION_BUSY`, `SESSION_NOT_FOUND` */
export async function assertFree(store: SessionStore, sessionId: string): Promise<void> {
  if (await isOwned(store, sessionId)) throw await busyElsewhere(store, sessionId);
}

/** Takes the session from its owner, and leaves it free. @throws SessionError `SESSION_BUSY` when the store cannot, `SESSION_NOT_FOUND` */
export async function takeOver(store: SessionStore, sessionId: string): Promise<void> {
  const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS, { takeOver: true });
  if (!lease) throw await busyElsewhere(store, sessionId);
  await store.release(lease);
}

/** The error `SESSION_BUSY` for a session that somebody owns. */
export function busyElsewhere(store: SessionStore, sessionId: string): Promise<SessionError> {
  return busy(store, sessionId, 'is being run elsewhere; wait until that run has ended');
}

/** The error `SESSION_BUSY` with `details.leaseEndsInMs`: when the lease ends if its owner is gone, if the store knows it. */
export async function busy(store: SessionStore, sessionId: string, how: string): Promise<SessionError> {
  const leaseEndsInMs = await store.leaseLeftMs?.(sessionId).catch(() => undefined);
  const message = `Session ${sessionId} ${how}`;
  if (leaseEndsInMs === undefined) return new SessionError(message, { code: 'SESSION_BUSY' });
  const time = new Date(Date.now() + leaseEndsInMs).toTimeString().slice(0, 8);
  return new SessionError(`${message}. If its owner is gone, its lease ends at the latest at ${time}`, {
    code: 'SESSION_BUSY',
    details: { leaseEndsInMs },
  });
}
