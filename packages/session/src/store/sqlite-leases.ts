import type { Lease, SessionStore } from '../log/session-store.ts';
import { hasEnded, processIdentity } from './process-identity.ts';
import { type Access, headOf, NOW } from './sqlite-access.ts';
import type { OpenSqlite } from './sqlite-file.ts';

export type LeaseMethods = Pick<SessionStore, 'acquire' | 'renew' | 'release'>;

const ACQUIRE = `update sessions set epoch = epoch + 1, owner = ?, lease_until = ${NOW} + ?
  where id = ? and (owner is null or lease_until < ${NOW})`;
const TAKE_FROM = `update sessions set epoch = epoch + 1, owner = ?, lease_until = ${NOW} + ?
  where id = ? and owner = ?`;
const RENEW = `update sessions set lease_until = ${NOW} + ?, updated_at = ${NOW} where id = ? and epoch = ?`;
const RELEASE = 'update sessions set owner = null where id = ? and epoch = ?';

/** Who may write to a session. The owner is noted with its process, so that the lease of one that was killed need not run out. */
export function leaseMethods({ write }: Access): LeaseMethods {
  const identity = processIdentity();
  const named = (owner: string) => (identity === undefined ? owner : `${owner} ${identity}`);
  return {
    acquire: (sessionId, owner, ttlMs) =>
      write((open): Lease | undefined => {
        const { head } = headOf(open.all, sessionId);
        const epoch = take(open, { sessionId, owner: named(owner), ttlMs });
        return epoch === undefined ? undefined : { sessionId, owner, head, epoch };
      }),
    renew: ({ sessionId, epoch }, ttlMs) => write(({ run }) => run(RENEW, ttlMs, sessionId, epoch) > 0),
    release: ({ sessionId, epoch }) => write(({ run }) => void run(RELEASE, sessionId, epoch)),
  };
}

/** The new epoch; undefined while somebody who may still live holds the lease. */
function take(
  { all, run }: OpenSqlite,
  { sessionId, owner, ttlMs }: { sessionId: string; owner: string; ttlMs: number },
): number | undefined {
  if (run(ACQUIRE, owner, ttlMs, sessionId) > 0) return headOf(all, sessionId).epoch;
  const [held] = all('select owner from sessions where id = ?', sessionId);
  const holder = String(held?.['owner']);
  if (!hasEnded(holder.split(' ')[1] ?? '')) return undefined;
  return run(TAKE_FROM, owner, ttlMs, sessionId, holder) > 0 ? headOf(all, sessionId).epoch : undefined;
}
