import type { EntryBody } from '../log/entry.ts';
import type { SessionStore } from '../log/session-store.ts';
import {
  alreadyExists,
  checkForkPoint,
  checkSessionId,
  damaged,
  entryJson,
  hasWaiting,
  isSessionId,
  notFound,
} from '../store/refusals.ts';
import { checksumOf, entryOf, type StoredRow } from '../store/stored-entry.ts';
import type { Query } from './database.ts';
import { type Access, NOW } from './postgres-access.ts';
import { listedValues } from './postgres-notes.ts';

export type SessionMethods = Pick<SessionStore, 'create' | 'fork' | 'remove'>;

const CREATE = `with made as (
    insert into :schema.sessions (id, cwd, forked_from, head, updated_at) values ($1, $2, $3, 1, ${NOW})
    on conflict (id) do nothing returning number
  ), first as (
    insert into :schema.entries (number, seq, epoch, at, checksum, body) select number, 1, 0, ${NOW}, $4::bigint, $5 from made
  )
  select number::float8 as number from made`;
/** Keeps the session from being removed; appends to it go on. */
const SOURCE =
  'select number::float8 as number, head::float8 as head from :schema.sessions where id = $1 for key share';
const FIRST = `select seq::float8 as seq, epoch::float8 as epoch, at::float8 as at, checksum::float8 as checksum, body
  from :schema.entries where number = $1::bigint and seq = 1`;
const COPY_ENTRIES = `insert into :schema.entries (number, seq, epoch, at, checksum, body)
  select $2::bigint, seq, 0, at, checksum, body from :schema.entries
  where number = $1::bigint and seq between 2 and $3::bigint`;
const SHARE_BLOBS = `insert into :schema.blob_uses (number, sha256)
  select $2::bigint, sha256 from :schema.blob_uses where number = $1::bigint`;
/** Entries that the list of sessions shows, and perhaps others: searching the text costs less than reading JSON. */
const NOTED = `select seq::float8 as seq, body from :schema.entries where number = $1::bigint and seq between 2 and $2::bigint and body like any
  (array['%"type":"title"%', '%"type":"metadata"%', '%"type":"run\\_%', '%"of":"run\\_ended"%']) order by seq`;
const NOTE = `update :schema.sessions set head = $2::bigint, run = coalesce($3::text, run), waits_until = $4::double precision,
    last_result = $5::text, title = $6::text, metadata = $7::text, labels = coalesce($8::text[], labels)
  where number = $1::bigint`;

const LOCK = 'select number::float8 as number from :schema.sessions where id = $1 for update';
const WAITING = 'select 1 from :schema.messages where number = $1::bigint and body is not null limit 1';
/** In one order, so that two removals do not wait for each other. Waits for those who are about to use one of them. */
const LOCK_BLOBS = `select sha256 from :schema.blobs where sha256 in (select sha256 from :schema.blob_uses where number = $1::bigint)
  order by sha256 for update`;
const REMOVE_ENTRIES = 'delete from :schema.entries where number = $1::bigint';
const REMOVE = 'delete from :schema.sessions where number = $1::bigint';
const REMOVE_BLOBS = `delete from :schema.blobs as blob where sha256 = any($1::text[])
  and not exists (select from :schema.blob_uses as used where used.sha256 = blob.sha256)`;

/** Methods for whole sessions. */
export function sessionMethods(access: Access): SessionMethods {
  return {
    async create(sessionId, first) {
      checkSessionId(sessionId);
      const made = await access.write(CREATE, createValues(sessionId, first), 'once');
      if (made.length === 0) throw alreadyExists(sessionId);
    },
    async fork(sessionId, upTo, newId) {
      checkSessionId(newId);
      await access.transaction('once', (query) => fork(query, { sessionId, upTo, newId }));
    },
    async remove(sessionId, { unlessWaiting = false } = {}) {
      await access.transaction('once', async (query) => {
        const [found] = isSessionId(sessionId) ? await query(LOCK, [sessionId]) : [];
        if (!found) throw notFound(sessionId);
        const number = [found['number']];
        if (unlessWaiting && (await query(WAITING, number)).length > 0) throw hasWaiting(sessionId);
        const blobs = await query(LOCK_BLOBS, number);
        await query(REMOVE_ENTRIES, number);
        await query(REMOVE, number);
        if (blobs.length > 0) await query(REMOVE_BLOBS, [blobs.map(({ sha256 }) => sha256)]);
      });
    },
  };
}

function createValues(sessionId: string, first: EntryBody): readonly unknown[] {
  const body = entryJson(sessionId, first);
  const { cwd, forkedFrom } = first.type === 'session_created' ? first : { cwd: '', forkedFrom: undefined };
  return [sessionId, cwd, forkedFrom?.sessionId ?? null, checksumOf(1, body), body];
}

async function fork(
  query: Query,
  { sessionId, upTo, newId }: { readonly sessionId: string; readonly upTo: number; readonly newId: string },
): Promise<void> {
  const [source] = isSessionId(sessionId) ? await query(SOURCE, [sessionId]) : [];
  if (!source) throw notFound(sessionId);
  checkForkPoint(sessionId, upTo, Number(source['head']));
  const [first] = await query(FIRST, [source['number']]);
  if (!first) throw damaged('Entry 1', sessionId, undefined);
  const named = { ...entryOf(first, sessionId).body, forkedFrom: { sessionId, seq: upTo } } as EntryBody; // safe: only named
  const [made] = await query(CREATE, createValues(newId, named));
  if (!made) throw alreadyExists(newId);
  const both = [source['number'], made['number']];
  await query(COPY_ENTRIES, [...both, upTo]);
  await query(SHARE_BLOBS, both);
  const noted = (await query(NOTED, [source['number'], upTo])).map((row) => bodyOf(row, sessionId));
  await query(NOTE, [made['number'], upTo, ...listedValues(noted)]);
}

function bodyOf(row: StoredRow, sessionId: string): EntryBody {
  try {
    return JSON.parse(String(row['body'])) as EntryBody; // safe: written by `append`
  } catch (cause) {
    throw damaged(`Entry ${String(row['seq'])}`, sessionId, cause);
  }
}
