import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { isRetryable } from '../log/slow-store.ts';
import { damaged, entryJson, isSessionId, notFound } from '../store/refusals.ts';
import type { StoredRow } from '../store/stored-entry.ts';
import type { InTurn } from './in-turn.ts';
import type { Access } from './postgres-access.ts';

export type BesideMethods = Required<
  Pick<SessionStore, 'enqueue' | 'inbox' | 'waiting' | 'saveSnapshot' | 'latestSnapshot' | 'putBlob' | 'getBlob'>
>;

/** Statements answer a row with `found` for a session that is there. */
const ENQUEUE = `with session as (select number from :schema.sessions where id = $1), added as (
    insert into :schema.messages (number, message_id, body) select number, $2, $3 from session
    on conflict (number, message_id) do nothing returning 1
  )
  select true as found, exists (select from added) as added from session`;
const INBOX = `select message_id, body from :schema.sessions as session
  left join :schema.messages as message on message.number = session.number and body is not null
  where id = $1 order by position`;
const ALL_WAITING = `select distinct on (message.number) id, message_id from :schema.messages as message join :schema.sessions using (number)
  where body is not null order by message.number, position desc`;
const SAVE_SNAPSHOT = `with session as (select number from :schema.sessions where id = $1), saved as (
    insert into :schema.snapshots as kept (number, seq, format, state) select number, $2::bigint, $3::integer, $4::bytea from session
    on conflict (number) do update set seq = excluded.seq, format = excluded.format, state = excluded.state
    where excluded.format <> kept.format or excluded.seq >= kept.seq
  )
  select true as found from session`;
const LATEST_SNAPSHOT = `select seq::float8 as seq, state from :schema.sessions as session
  left join :schema.snapshots as kept on kept.number = session.number and format = $2::integer where id = $1`;
/** Bytes of this hash may be there for another session; the lock on their row keeps them until this one uses them too. */
const PUT_BLOB = `with session as (select number from :schema.sessions where id = $1), kept as (
    insert into :schema.blobs (sha256, bytes) select $2, $3::bytea from session
    on conflict (sha256) do update set sha256 = excluded.sha256
  ), used as (
    insert into :schema.blob_uses (number, sha256) select number, $2 from session on conflict do nothing
  )
  select true as found from session`;
const GET_BLOB = `select bytes from :schema.sessions as session
  left join :schema.blob_uses as used on used.number = session.number and used.sha256 = $2 left join :schema.blobs using (sha256)
  where id = $1`;
/** Of a row that names a session which was removed meanwhile (foreign_key_violation). */
const NO_SESSION = '23503';

/** The parts of a session outside of its log: waiting messages, a snapshot, large bytes. */
export function besideMethods(access: Access, turns: InTurn): BesideMethods {
  /** Messages whose first try may have been recorded although it has failed. */
  const doubtful = new Set<string>();
  return {
    async enqueue(sessionId, item) {
      const { id } = item.message;
      const values = [sessionId, id, entryJson(sessionId, item)]; // now: the caller may change what it gave
      const key = `${sessionId} ${id}`;
      try {
        const [row] = await turns.run(`inbox ${sessionId}`, () =>
          rowsFor(sessionId, () => access.write(ENQUEUE, values)),
        );
        return doubtful.delete(key) || row?.['added'] === true;
      } catch (error) {
        if (isRetryable(error)) doubtful.add(key);
        throw error;
      }
    },
    async inbox(sessionId) {
      const rows = await rowsFor(sessionId, () => access.read(INBOX, [sessionId]));
      return rows.flatMap((row) => (row['body'] === null ? [] : [itemOf(row, sessionId)]));
    },
    async waiting() {
      const rows = await access.read(ALL_WAITING, []);
      return rows.map((row) => ({ sessionId: String(row['id']), messageId: String(row['message_id']) }));
    },
    async saveSnapshot(sessionId, { seq, format, state }) {
      await rowsFor(sessionId, () => access.write(SAVE_SNAPSHOT, [sessionId, seq, format, state]));
    },
    async latestSnapshot(sessionId, format) {
      const [row] = await rowsFor(sessionId, () => access.read(LATEST_SNAPSHOT, [sessionId, format]));
      const state = bytesIn(row?.['state']);
      return state && { seq: Number(row?.['seq']), format, state };
    },
    async putBlob(sessionId, sha256, bytes) {
      await rowsFor(sessionId, () => access.write(PUT_BLOB, [sessionId, sha256, bytes]));
    },
    async getBlob(sessionId, sha256) {
      const [row] = await rowsFor(sessionId, () => access.read(GET_BLOB, [sessionId, sha256]));
      return bytesIn(row?.['bytes']);
    },
  };
}

/** @throws SessionError `SESSION_NOT_FOUND` when there is no row, or the session was removed meanwhile */
async function rowsFor(sessionId: string, ask: () => Promise<readonly StoredRow[]>): Promise<readonly StoredRow[]> {
  if (!isSessionId(sessionId)) throw notFound(sessionId);
  try {
    const rows = await ask();
    if (rows.length > 0) return rows;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }; // safe: what is thrown is an error
    if (code !== NO_SESSION) throw error;
  }
  throw notFound(sessionId);
}

/** Bytes of their own: a driver may give a Buffer. */
function bytesIn(column: unknown): Uint8Array | undefined {
  return column instanceof Uint8Array ? new Uint8Array(column.buffer, column.byteOffset, column.length) : undefined;
}

/** The message in a row. @throws SessionError `LOG_DAMAGED` */
export function itemOf(row: StoredRow, sessionId: string): InboxItem {
  try {
    return JSON.parse(String(row['body'])) as InboxItem; // safe: written by `enqueue`
  } catch (cause) {
    throw damaged(`Message ${String(row['message_id'])}`, sessionId, cause);
  }
}
