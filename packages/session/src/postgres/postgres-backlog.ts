import type { Backlog, HeldSession } from '../log/session-store.ts';
import { backlogOf, GOES_ON, MOST_COUNTED, sentAt, type Unserved } from '../store/backlog.ts';
import type { StoredRow } from '../store/stored-entry.ts';
import { type Access, NOW } from './postgres-access.ts';
import { itemOf } from './postgres-inbox-and-blobs.ts';
import { LEASE_LEFT } from './postgres-leases.ts';

const FREE = `(owner is null or lease_until <= ${NOW})`;
/** Of the messages only the first of all is read, which says how long they have waited. */
const FIND = `with cut as (
    select id, updated_at::float8 as since from :schema.sessions
    where run <> 'ended' and run = 'open' and epoch > 0 and ${FREE} order by updated_at limit ${MOST_COUNTED}
  ), expired as (
    select id, waits_until as since from :schema.sessions
    where run <> 'ended' and run = 'waiting' and epoch > 0 and waits_until <= ${NOW} and ${FREE} limit ${MOST_COUNTED}
  ), sent as (
    select id, first.number, first.position from (
      select number, min(position) as position from :schema.messages where body is not null group by number limit ${MOST_COUNTED}
    ) as first join :schema.sessions using (number)
    where ${FREE} and (run <> 'waiting' or epoch = 0 or exists (
      select from :schema.messages as one where one.number = first.number and body is not null and ${GOES_ON}))
  ), found as (
    select id, since, null as message_id, null as body from cut union all select id, since, null, null from expired
    union all select id, null, message_id, case when sent.position = (select min(position) from sent) then body end
      from sent join :schema.messages using (number, position)
  )
  select id, since, message_id, body, ${NOW}::float8 as now from found`;

const HELD = `select id, owner, epoch::float8 as epoch, ${LEASE_LEFT} as left_ms from :schema.sessions
  where run <> 'ended' and run = 'open' and owner is not null and lease_until > ${NOW} order by updated_at desc limit ${MOST_COUNTED}`;

/** Sessions with an open run that somebody owns. */
export async function held(access: Access): Promise<readonly HeldSession[]> {
  const rows = await access.read(HELD, []);
  return rows.map((row) => ({
    sessionId: String(row['id']),
    owner: String(row['owner']),
    epoch: Number(row['epoch']),
    leaseLeftMs: Number(row['left_ms']),
  }));
}

/** Counts sessions with something to run that nobody runs. */
export async function backlog(access: Access): Promise<Backlog> {
  const rows = await access.read(FIND, []);
  return backlogOf(rows.map(unserved), Number(rows[0]?.['now'] ?? 0));
}

function unserved(row: StoredRow): Unserved {
  const [sessionId, now] = [String(row['id']), Number(row['now'])];
  if (row['since'] !== null) return { sessionId, since: Number(row['since']) };
  return { sessionId, since: row['body'] === null ? now : sentAt(itemOf(row, sessionId), now) };
}
