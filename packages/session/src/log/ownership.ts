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
  if (await isOwned(store, sessionId)) throw await busyElsewhere(store, sessionId);
}

/** Takes the session from whoever owns it, and leaves it free. @throws SessionError `SESSION_BUSY` when the store cannot, `SESSION_NOT_FOUND` */
export async function takeOver(store: SessionStore, sessionId: string): Promise<void> {
  const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS, { takeOver: true });
  if (!lease) throw await busyElsewhere(store, sessionId);
  await store.release(lease);
}

/** `SESSION_BUSY` for a session that somebody owns. */
export function busyElsewhere(store: SessionStore, sessionId: string): Promise<SessionError> {
  return busy(store, sessionId, 'is being run elsewhere; wait until that run has ended');
}

/** `SESSION_BUSY` with `details.leaseEndsInMs`: when the lease ends if its owner is gone, where the store can say so. */
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
