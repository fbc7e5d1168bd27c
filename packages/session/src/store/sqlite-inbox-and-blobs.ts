import type { SQLOutputValue } from 'node:sqlite';
import type { ImmediateReads, InboxItem, SessionStore } from '../log/session-store.ts';
import { damaged, entryJson } from './refusals.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, headOf } from './sqlite-fragments.ts';

export type BesideMethods = Pick<
  SessionStore,
  'enqueue' | 'inbox' | 'waiting' | 'saveSnapshot' | 'latestSnapshot' | 'putBlob' | 'getBlob'
>;

const READ_INBOX = 'select message_id, body from inbox where session_id = ? order by position';
const READ_WAITING = `select session_id, message_id from inbox
  where (session_id, position) in (select session_id, max(position) from inbox group by session_id)`;
const SAVE_SNAPSHOT = `insert into snapshots (session_id, seq, format, state) values (?, ?, ?, ?)
  on conflict (session_id) do update set seq = excluded.seq, format = excluded.format, state = excluded.state
  where excluded.format <> snapshots.format or excluded.seq >= snapshots.seq`;
// Values are bound in order, one for each `?`: Node 22.18 does not bind numbered parameters by position.
const KNOWN_MESSAGE = `select 1 from inbox where session_id = ? and message_id = ?
  union all select 1 from delivered where session_id = ? and message_id = ?`;
const ENQUEUE = `insert into inbox (session_id, position, message_id, body)
  values (?, (select coalesce(max(position), 0) + 1 from inbox where session_id = ?), ?, ?)`;

/** The parts of a session outside of its log: waiting messages, a snapshot, large bytes. */
export function besideMethods(
  { read, write }: Access,
  now: ImmediateReads,
): BesideMethods & Required<Pick<BesideMethods, 'waiting'>> {
  return {
    enqueue: (sessionId, item) => write((open) => enqueue(open, sessionId, item)),
    async inbox(sessionId) {
      const { all, leased } = read();
      const rows = all(READ_INBOX, sessionId);
      // Called before every turn: if another process has removed the session, the next append of the lease holder fails.
      if (rows.length === 0 && !leased.find(sessionId)) headOf(all, sessionId);
      return rows.map((row) => itemOf(row, sessionId));
    },
    waiting: async () =>
      read()
        .all(READ_WAITING)
        .map((row) => ({ sessionId: String(row['session_id']), messageId: String(row['message_id']) })),
    saveSnapshot: (sessionId, { seq, format, state }) =>
      write(({ all, run }) => {
        headOf(all, sessionId);
        run(SAVE_SNAPSHOT, sessionId, seq, format, state);
      }),
    latestSnapshot: async (sessionId, format) => now.latestSnapshot(sessionId, format),
    putBlob: (sessionId, sha256, bytes) =>
      write(({ all, run }) => {
        headOf(all, sessionId);
        // Bytes of this hash may be stored for another session already.
        run('insert or ignore into blobs (first_session_id, sha256, bytes) values (?, ?, ?)', sessionId, sha256, bytes);
        run('insert or ignore into blob_uses (session_id, sha256) values (?, ?)', sessionId, sha256);
      }),
    getBlob: async (sessionId, sha256) => now.getBlob(sessionId, sha256),
  };
}

function enqueue({ all, run }: OpenSqlite, sessionId: string, item: InboxItem): boolean {
  headOf(all, sessionId);
  const { id } = item.message;
  if (all(KNOWN_MESSAGE, sessionId, id, sessionId, id).length > 0) return false;
  run(ENQUEUE, sessionId, sessionId, id, entryJson(sessionId, item));
  return true;
}

function itemOf(row: Readonly<Record<string, SQLOutputValue>>, sessionId: string): InboxItem {
  try {
    return JSON.parse(String(row['body'])) as InboxItem;
  } catch (cause) {
    throw damaged(`Message ${String(row['message_id'])}`, sessionId, cause);
  }
}
