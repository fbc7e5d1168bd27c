import type { Lease, SessionStore } from '../log/session-store.ts';
import { isRetryable } from '../log/slow-store.ts';
import { isSessionId, notFound } from '../store/refusals.ts';
import type { InTurn } from './in-turn.ts';
import { type Access, NOW } from './postgres-access.ts';

export type LeaseMethods = Required<Pick<SessionStore, 'acquire' | 'renew' | 'release' | 'leaseLeftMs'>>;

/**
 * Epochs per session, from its number, which is never used again: the owner of a removed session is fenced from a new one with the same id.
 */
const EPOCHS = 2 ** 20;

/** Of a lease that may have been given although the answer was lost. */
const ANY_EPOCH = -1;

const ACQUIRE = `with taken as (
    update :schema.sessions set epoch = greatest(epoch, (number - 1) * ${EPOCHS}) + 1, owner = $2, lease_until = ${NOW} + $3::bigint
    where id = $1 and (owner is null or lease_until <= ${NOW} or $4::boolean) returning epoch, head
  )
  select epoch::float8 as epoch, head::float8 as head from taken
  union all select null, null from :schema.sessions where id = $1 and not exists (select from taken)`;
const RENEW = `update :schema.sessions set lease_until = ${NOW} + $4::bigint, updated_at = ${NOW}
  where id = $1 and owner = $2 and epoch = $3::bigint returning 1`;
const RELEASE = `update :schema.sessions as session set owner = null
  from unnest($1::text[], $2::text[], $3::bigint[]) as lease (id, owner, epoch)
  where session.id = lease.id and session.owner = lease.owner and lease.epoch in (session.epoch, ${ANY_EPOCH})`;
/** Milliseconds that the lease of the current row lasts. */
export const LEASE_LEFT: string = `(case when owner is null then 0 else greatest(0, lease_until - ${NOW}) end)::float8`;
const LEFT = `select ${LEASE_LEFT} as left_ms from :schema.sessions where id = $1`;

/** Acquires, renews and releases leases, by the clock of the server. */
export function leaseMethods(access: Access, turns: InTurn): LeaseMethods {
  const { over } = access;
  const giveBack = async (leases: readonly Lease[]): Promise<void> => {
    const columns = [
      leases.map(({ sessionId }) => sessionId),
      leases.map(({ owner }) => owner),
      leases.map(({ epoch }) => epoch),
    ];
    await access.write(RELEASE, columns);
  };
  /** Those that could not be given back before. */
  const giveBackOver = async (): Promise<void> => {
    if (over.size === 0) return;
    const leases = [...over.values()];
    await giveBack(leases);
    for (const { owner } of leases) over.delete(owner);
  };
  return {
    async acquire(sessionId, owner, ttlMs, { takeOver = false } = {}) {
      if (!isSessionId(sessionId)) throw notFound(sessionId);
      await giveBackOver();
      try {
        const [row] = await access.write(ACQUIRE, [sessionId, owner, Math.ceil(ttlMs), takeOver]);
        if (!row) throw notFound(sessionId);
        if (row['epoch'] === null) return undefined;
        return { sessionId, owner, head: Number(row['head']), epoch: Number(row['epoch']) };
      } catch (error) {
        if (isRetryable(error)) over.set(owner, { sessionId, owner, head: 0, epoch: ANY_EPOCH });
        throw error;
      }
    },
    async renew({ sessionId, owner, epoch }, ttlMs) {
      return (await access.write(RENEW, [sessionId, owner, epoch, Math.ceil(ttlMs)])).length > 0;
    },
    // After the appends that were begun: a run that is left says so in its log first.
    release: (lease) =>
      turns.run(lease.sessionId, async () => {
        try {
          await giveBack([lease]);
        } catch (error) {
          over.set(lease.owner, lease);
          throw error;
        }
      }),
    async leaseLeftMs(sessionId) {
      await giveBackOver();
      const [row] = await access.read(LEFT, [sessionId]);
      if (!row) throw notFound(sessionId);
      return Number(row['left_ms']);
    },
  };
}
