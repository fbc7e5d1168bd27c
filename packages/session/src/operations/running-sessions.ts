import { ValidationError } from '@x/core';
import { checkOptions } from '@x/errors/option-rules';
import { type OwnerProcess, processIn } from '../log/owner-name.ts';
import { takeOver } from '../log/ownership.ts';
import { checkSessionId } from '../store/refusals.ts';
import { STORE_OPTIONS, type StoreOptions, usingStore } from '../store/using-store.ts';

/** A session that somebody runs. */
export interface RunningSession {
  readonly sessionId: string;
  /** As the lease names it. */
  readonly owner: string;
  /** The process of the owner; absent for one of an older version. */
  readonly process?: OwnerProcess;
  /** One higher with each owner; entries of the log have that of their owner. */
  readonly epoch: number;
  /** Milliseconds until the lease ends, unless its owner renews it, which a living one does every 5 seconds. */
  readonly leaseLeftMs: number;
}

/**
 * Sessions with an open run and an owner, those renewed last first, 1000 at most. Costs one query. @throws ValidationError for a store that does not
 * list owners; errors of the store
 */
export async function runningSessions(options: StoreOptions = {}): Promise<readonly RunningSession[]> {
  checkOptions('The options', options, STORE_OPTIONS);
  return await usingStore(options, async (store) => {
    if (!store.held) throw new ValidationError('This store does not list the owners of its sessions', 'store');
    return (await store.held()).map((held): RunningSession => {
      const process = processIn(held.owner);
      return { ...held, ...(process ? { process } : {}) };
    });
  });
}

/**
 * Takes a session from its owner, whoever that is, and leaves it free: the next append of the owner is refused with `SESSION_FENCED`, which ends
 * its work, and workers go on with the run within `lookEveryMs`. For an owner that is known to hang. Does nothing to a session that is free.
 * @throws SessionError `SESSION_NOT_FOUND`; ValidationError, errors of the store
 */
export async function releaseSession(sessionId: string, options: StoreOptions = {}): Promise<void> {
  checkSessionId(sessionId);
  checkOptions('The options', options, STORE_OPTIONS);
  await usingStore(options, (store) => takeOver(store, sessionId));
}
