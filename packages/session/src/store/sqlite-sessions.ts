import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { EntryBody } from '../log/entry.ts';
import type { SessionPage, SessionQuery, SessionStore } from '../log/session-store.ts';
import { leaseClock } from './lease-clock.ts';
import { alreadyExists, checkForkPoint, checkSessionId, damaged, entryJson, hasWaiting } from './refusals.ts';
import { statesOf } from './run-mark.ts';
import { listedPage } from './session-summary.ts';
import { erase } from './sqlite-erasure.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, HEAD, headOf, KEYS_OF, NOW, SEQ, SEQUENCE } from './sqlite-fragments.ts';
import { leaseLeft } from './sqlite-leases.ts';
import { insert, note } from './sqlite-log.ts';
import { rowsOf } from './sqlite-reads.ts';
import { INDEX_METADATA, MARK_FROM_LOG } from './sqlite-schema.ts';
import { entryOf } from './stored-entry.ts';

export type SessionMethods = Pick<SessionStore, 'create' | 'list' | 'fork' | 'remove'>;

const CREATE = `insert into sessions (id, cwd, title, metadata, forked_from, epoch, lease_until, updated_at)
  values (?, ?, ?, ?, ?, 0, 0, ${NOW})`;
const COPY_ENTRIES = `insert into entries (key, epoch, at, body, checksum)
  select ${KEYS_OF} + (${SEQ}), 0, at, body, checksum from entries where key between ${KEYS_OF} + 2 and ${KEYS_OF} + ${SEQUENCE}`;
const SHARE_BLOBS = 'insert into blob_uses (session_id, sha256) select ?, sha256 from blob_uses where session_id = ?';
const COPY_NOTES =
  'update sessions set (title, metadata) = (select title, metadata from sessions where id = ?) where id = ?';
/** The last title and the last metadata of a log. */
const NOTES = ['title', 'metadata'].map(
  // Searching the text first is cheaper: parsing an entry costs more than copying it.
  (
    type,
  ) => `select body from entries where key between ${KEYS_OF} and ${KEYS_OF} + ${SEQUENCE} and body like '%"type":"${type}"%'
    and body ->> '$.type' = '${type}' order by key desc limit 1`,
);
const TABLES = ['inbox', 'delivered', 'snapshots', 'blob_uses', 'session_metadata'];

/** Methods for whole sessions. */
export function sessionMethods(access: Access): SessionMethods {
  const { read, write } = access;
  return {
    create: async (sessionId, first) => {
      checkSessionId(sessionId);
      await write((open) => {
        create(open, sessionId, first);
        note(open, sessionId, first);
      });
    },
    list: async (query) => list(read(), query),
    fork: async (sessionId, upTo, newId) => {
      checkSessionId(newId);
      await write((open) => fork(open, { sessionId, upTo, newId }));
    },
    remove: async (sessionId, { unlessWaiting = false } = {}) => {
      const left = await write(({ all, run, leased }) => {
        const { number } = headOf(all, sessionId);
        if (unlessWaiting && all('select 1 from inbox where session_id = ? limit 1', sessionId).length > 0)
          throw hasWaiting(sessionId);
        const blobs = all('select sha256 from blob_uses where session_id = ?', sessionId);
        for (const table of TABLES) run(`delete from ${table} where session_id = ?`, sessionId);
        run('delete from sessions where id = ?', sessionId);
        leased.forget(sessionId);
        return { number, blobs: blobs.map(({ sha256 }) => String(sha256)) };
      });
      await erase(access, left);
    },
  };
}

function create(open: OpenSqlite, sessionId: string, first: EntryBody): void {
  const { all, run } = open;
  const body = entryJson(sessionId, first);
  if (all('select 1 from sessions where id = ?', sessionId).length > 0) throw alreadyExists(sessionId);
  const { cwd, forkedFrom } = first.type === 'session_created' ? first : { cwd: '', forkedFrom: undefined };
  run(CREATE, sessionId, cwd, null, null, forkedFrom?.sessionId ?? null);
  insert(open, { sessionId, seq: 1, epoch: 0, body });
}

function fork(open: OpenSqlite, { sessionId, upTo, newId }: { sessionId: string; upTo: number; newId: string }): void {
  const { all, run } = open;
  const { number, head } = headOf(all, sessionId);
  checkForkPoint(sessionId, upTo, head);
  const [first] = rowsOf(all, number, { after: 0, upTo: 1 });
  if (!first) throw damaged('Entry 1', sessionId, undefined);
  create(open, newId, { ...entryOf(first, sessionId).body, forkedFrom: { sessionId, seq: upTo } } as EntryBody); // safe: only named
  run(COPY_ENTRIES, newId, sessionId, sessionId, upTo);
  run(SHARE_BLOBS, newId, sessionId);
  run(`${MARK_FROM_LOG} where id = ?`, newId);
  if (upTo === head) {
    run(COPY_NOTES, sessionId, newId);
    run(INDEX_METADATA, newId, newId);
    return;
  }
  for (const sql of NOTES)
    for (const row of all(sql, sessionId, sessionId, upTo)) note(open, newId, bodyOf(row, sessionId));
}

function bodyOf(row: Row, sessionId: string): EntryBody {
  try {
    return JSON.parse(String(row['body'])) as EntryBody;
  } catch (cause) {
    throw damaged('An entry', sessionId, cause);
  }
}

type Row = Readonly<Record<string, SQLOutputValue>>;

/** The condition of a list, with its values. Of states it finds those that may be asked for: some depend on the lease. */
function conditionOf({
  sessionId,
  cwd,
  state,
  expiredAt,
  metadata,
}: SessionQuery): readonly [sql: string, values: SQLInputValue[]] {
  const ofMetadata = Object.entries(metadata ?? {});
  const isOpen = state !== undefined && !statesOf(state).includes('idle');
  const parts = [
    ...(sessionId === undefined ? [] : ['id = ?']),
    ...(cwd === undefined ? [] : ['cwd = ?']),
    ...(isOpen ? [state === 'waiting' ? "run = 'waiting'" : 'run is not null'] : []),
    ...(expiredAt === undefined ? [] : ['waits_until <= cast(? as integer)']),
    // As JSON, like what the index was made of: a lone surrogate would be another text as a parameter.
    ...ofMetadata.map(
      () => "id in (select session_id from session_metadata where key = ? ->> '$' and value = ? ->> '$')",
    ),
    'updated_at <= ? and (updated_at < ? or id > ?)',
  ];
  const values = [
    ...(sessionId === undefined ? [] : [sessionId]),
    ...(cwd === undefined ? [] : [cwd]),
    ...(expiredAt === undefined ? [] : [expiredAt]),
    ...ofMetadata.flat().map((text) => JSON.stringify(text)),
  ];
  return [parts.join(' and '), values];
}

async function list(open: OpenSqlite, query: SessionQuery = {}): Promise<SessionPage> {
  const { leased } = open;
  const [where, values] = conditionOf(query);
  const sql = `select id, cwd, title, metadata, forked_from, run, waits_until, last_result, epoch, owner, lease_until,
    ${NOW} as time_of_day, ${HEAD} as head, updated_at from sessions where ${where} order by updated_at desc, id limit ?`;
  const clock = leaseClock();
  return await listedPage(query, {
    rowsAfter: ({ updatedAt, sessionId, limit }) =>
      open.all(sql, ...values, updatedAt, updatedAt, sessionId, limit + 1),
    isHeld: (row) => leaseLeft(row, { clock, leased }) > 0,
  });
}
