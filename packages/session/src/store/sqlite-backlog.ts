import type { Backlog, SessionStore } from '../log/session-store.ts';
import { backlogOf, GOES_ON, MOST_COUNTED, type Unserved } from './backlog.ts';
import { leaseClock } from './lease-clock.ts';
import { type Access, NOW } from './sqlite-fragments.ts';
import { holderIn, leaseLeft } from './sqlite-leases.ts';

const ROW = `id, owner, lease_until, ${NOW} as time_of_day`;
/** Of each kind those that have waited longest; who is at work renews its time. */
const FIND = `select * from (select ${ROW}, updated_at as since from sessions
    where run = 'open' and epoch > 0 order by updated_at limit ${MOST_COUNTED})
  union all select * from (select ${ROW}, waits_until as since from sessions
    where run = 'waiting' and epoch > 0 and waits_until <= ${NOW} limit ${MOST_COUNTED})
  union all select ${ROW}, (select unixepoch(body ->> '$.message.createdAt', 'subsec') * 1000 from inbox
      where session_id = id order by position limit 1) as since
    from sessions where id in (select distinct session_id from inbox limit ${MOST_COUNTED})
    and (run is not 'waiting' or epoch = 0 or exists (select 1 from inbox where session_id = id and ${GOES_ON}))`;

const HELD = `select ${ROW}, epoch from sessions
  where run = 'open' and owner is not null order by updated_at desc limit ${MOST_COUNTED}`;

/** The methods that count sessions with something to run that nobody runs, and list those that somebody runs. */
export function backlogMethods({ read }: Access): Required<Pick<SessionStore, 'backlog' | 'held'>> {
  return {
    async held() {
      const { all, leased } = read();
      const knowing = { clock: leaseClock(), leased };
      return all(HELD).flatMap((row) => {
        const leaseLeftMs = leaseLeft(row, knowing);
        const owner = holderIn(row['owner'], 0)?.owner;
        if (leaseLeftMs === 0 || owner === undefined) return [];
        return [{ sessionId: String(row['id']), owner, epoch: Number(row['epoch']), leaseLeftMs }];
      });
    },
    async backlog(): Promise<Backlog> {
      const { all, leased } = read();
      const knowing = { clock: leaseClock(), leased };
      const rows = all(FIND);
      const now = Number(rows[0]?.['time_of_day'] ?? 0);
      const free = rows.filter((row) => leaseLeft(row, knowing) === 0);
      const found = free.map(({ id, since }): Unserved => ({ sessionId: String(id), since: Number(since ?? now) }));
      return backlogOf(found, now);
    },
  };
}
