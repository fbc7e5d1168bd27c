import { checkOptions } from '@x/errors/option-rules';
import { removeCheckpoints } from '../checkpoints/session-checkpoints.ts';
import { busy } from '../log/ownership.ts';
import { checkSessionId } from '../store/refusals.ts';
import { STORE_OPTIONS, type StoreOptions, usingStore } from '../store/using-store.ts';

/** Milliseconds; longer than a removal takes. */
const LEASE_MS = 30_000;

/**
 * Removes a session with everything that belongs to it; its forks stay complete. SQLite's space is overwritten
 * (docs/backup-and-retention.md).
 * @throws SessionError `SESSION_NOT_FOUND`, `SESSION_BUSY` while it is run, here or elsewhere; ValidationError
 */
export async function deleteSession(sessionId: string, options: StoreOptions = {}): Promise<void> {
  checkSessionId(sessionId);
  checkOptions('The options', options, STORE_OPTIONS);
  await usingStore(options, async (store) => {
    const lease = await store.acquire(sessionId, crypto.randomUUID(), LEASE_MS);
    if (!lease) {
      throw await busy(store, sessionId, 'is being run; abort that run, or wait until it has ended');
    }
    try {
      await store.remove(sessionId);
    } catch (error) {
      await store.release(lease);
      throw error;
    }
    removeCheckpoints(sessionId);
  });
}
