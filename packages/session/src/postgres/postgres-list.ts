import type { SessionPage, SessionQuery } from '../log/session-store.ts';
import { isSessionId } from '../store/refusals.ts';
import { statesOf } from '../store/run-mark.ts';
import { listedPage } from '../store/session-summary.ts';
import type { StoredRow } from '../store/stored-entry.ts';
import type { Access } from './postgres-access.ts';
import { LEASE_LEFT } from './postgres-leases.ts';
import { labelsOf } from './postgres-notes.ts';

const COLUMNS = `id, cwd, title, metadata, forked_from, run, waits_until, last_result, epoch::float8 as epoch, head::float8 as head,
  updated_at::float8 as updated_at, ${LEASE_LEFT} as left_ms`;

/** One page of sessions. */
export async function list(access: Access, query: SessionQuery = {}): Promise<SessionPage> {
  access.assertOpen();
  const conditions = conditionsOf(query);
  const values = conditions.map(([, value]) => value);
  const where = conditions.map(([sql], index) => sql.replaceAll('?', `$${index + 1}`));
  const [at, id, most] = [1, 2, 3].map((place) => `$${values.length + place}`);
  // The order names the table: the column of the same name is a cast, which no index has.
  const text = `select ${COLUMNS} from :schema.sessions as session
    where ${[...where, `updated_at <= ${at}::bigint and (updated_at < ${at}::bigint or id > ${id})`].join(' and ')}
    order by session.updated_at desc, session.id limit ${most}::bigint`;
  return await listedPage(query, {
    rowsAfter: async ({ updatedAt, sessionId, limit }) =>
      (await access.read(text, [...values, updatedAt, sessionId, limit + 1])).map(listedRow),
    isHeld: (row) => Number(row['left_ms']) > 0,
  });
}

/** Conditions with their value, the `?`. Of states they find those that may be asked for: some depend on the lease. */
function conditionsOf({
  sessionId,
  cwd,
  state,
  expiredAt,
  metadata = {},
}: SessionQuery): (readonly [sql: string, value: unknown])[] {
  const isOpen = state !== undefined && !statesOf(state).includes('idle');
  return [
    ...(sessionId === undefined ? [] : [['id = ?', isSessionId(sessionId) ? sessionId : ''] as const]),
    ...(cwd === undefined ? [] : [['md5(cwd) = md5(?) and cwd = ?', cwd] as const]),
    ...(isOpen ? [[`run <> 'ended' and run = any(?::text[])`, runsOf(state)] as const] : []),
    ...(expiredAt === undefined ? [] : [['waits_until <= ?::double precision', expiredAt] as const]),
    ...(Object.keys(metadata).length === 0 ? [] : [['labels @> ?::text[]', labelsOf(metadata)] as const]),
  ];
}

function runsOf(state: NonNullable<SessionQuery['state']>): readonly string[] {
  return state === 'waiting' ? ['waiting'] : ['open', 'waiting'];
}

/** The row as the list reads it. */
function listedRow(row: StoredRow): StoredRow {
  const { run = null, title = null } = row;
  return { ...row, run: run === 'ended' ? null : run, title: title === null ? null : JSON.parse(String(title)) };
}
