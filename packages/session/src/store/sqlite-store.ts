import type { SQLOutputValue } from 'node:sqlite';
import { SessionError } from '@x/core';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import type { ExpectedHead, InboxItem, SessionPage, SessionStore } from '../log/session-store.ts';
import { storeError } from './group-commit.ts';
import { alreadyExists, checkSessionId, entryJson, notFound, refusal } from './refusals.ts';
import { type Access, HEAD, headOf, NOW } from './sqlite-access.ts';
import { type OpenSqlite, openSqlite } from './sqlite-file.ts';
import { type LeaseMethods, leaseMethods } from './sqlite-leases.ts';

/** Rows read at a time. */
const PAGE = 500;
type Row = Record<string, SQLOutputValue>;

/** Where the store is. */
export interface SqliteStoreOptions {
  /** The file; made with mode 0600 in a directory of mode 0700. */
  readonly path: string;
}

/**
 * Sessions in one SQLite file (WAL, `synchronous=FULL`), shared by any number of sessions and processes. Opened on first use.
 * Writes that wait together share one commit. The caller disposes of it, after the sessions that use it are closed.
 */
export function sqliteStore({ path }: SqliteStoreOptions): SessionStore {
  let opening: Promise<OpenSqlite> | undefined;
  let disposed = false;
  let closing: Promise<void> | undefined;
  const database = (): Promise<OpenSqlite> => {
    if (disposed) throw new SessionError(`The store ${path} is closed`, { code: 'SESSION_CLOSED' });
    return (opening ??= openSqlite(path).catch((error: unknown) => {
      opening = undefined; // the next use tries again
      throw storeError(error, `open ${path}`);
    }));
  };
  const close = async () => (await opening?.catch(() => undefined))?.close();
  const access: Access = {
    read: database,
    write: async (work) => {
      const open = await database();
      return await open.commits.write(() => work(open));
    },
  };
  return {
    ...logMethods(access),
    ...leaseMethods(access),
    ...methodsBesideTheLog(access),
    async [Symbol.asyncDispose]() {
      disposed = true;
      await (closing ??= close());
    },
  };
}

type LogMethods = Pick<SessionStore, 'create' | 'append' | 'read' | 'list' | 'fork' | 'remove'>;

function logMethods({ read, write }: Access): LogMethods {
  return {
    create: async (sessionId, first) => {
      checkSessionId(sessionId);
      await write((open) => create(open, sessionId, [entryJson(sessionId, first)], first));
    },
    append: (sessionId, expected, entries, consume = []) =>
      write((open) => append(open, { sessionId, expected, entries, consume })),
    async *read(sessionId, { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {}) {
      const { all } = await read();
      const { head } = headOf(all, sessionId);
      for (let from = after; from < Math.min(head, upTo); from += PAGE) {
        for (const row of all(READ, sessionId, from, Math.min(from + PAGE, upTo))) yield entryOf(row, sessionId);
      }
    },
    list: async (query) => list(await read(), query),
    fork: async (sessionId, upTo, newId) => {
      checkSessionId(newId);
      await write((open) => fork(open, { sessionId, upTo, newId }));
    },
    remove: (sessionId) =>
      write(({ all, run }) => {
        headOf(all, sessionId);
        for (const table of ['entries', 'inbox', 'delivered', 'snapshots', 'blobs']) {
          run(`delete from ${table} where session_id = ?`, sessionId);
        }
        run('delete from sessions where id = ?', sessionId);
      }),
  };
}

function methodsBesideTheLog({
  read,
  write,
}: Access): Omit<SessionStore, keyof LogMethods | keyof LeaseMethods | keyof AsyncDisposable> {
  return {
    enqueue: (sessionId, item) => write((open) => enqueue(open, sessionId, item)),
    async inbox(sessionId) {
      const { all } = await read();
      const rows = all(READ_INBOX, sessionId);
      if (rows.length === 0) throw notFound(sessionId);
      return rows[0]!['body'] === null ? [] : rows.map((row) => itemOf(row, sessionId));
    },
    saveSnapshot: (sessionId, { seq, format, state }) =>
      write(({ all, run }) => {
        headOf(all, sessionId);
        run(SAVE_SNAPSHOT, sessionId, seq, format, JSON.stringify(state));
      }),
    async latestSnapshot(sessionId, format) {
      const { all } = await read();
      headOf(all, sessionId);
      const [row] = all(LATEST_SNAPSHOT, sessionId, format);
      return row && { seq: Number(row['seq']), format, state: JSON.parse(String(row['state'])) as unknown };
    },
    putBlob: (sessionId, sha256, bytes) =>
      write(({ all, run }) => {
        headOf(all, sessionId);
        run('insert or ignore into blobs values (?, ?, ?)', sessionId, sha256, bytes);
      }),
    async getBlob(sessionId, sha256) {
      const { all } = await read();
      headOf(all, sessionId);
      const [row] = all(GET_BLOB, sessionId, sha256);
      return row?.['bytes'] as Uint8Array | undefined; // safe: the column holds blobs
    },
  };
}

const TOUCH = `update sessions set updated_at = ${NOW} where id = ?`;
/** Compare and swap: adds the entry only where the session has this epoch and head. */
const INSERT_NEXT = `insert into entries (session_id, seq, epoch, at, body)
  select id, ?, epoch, ${NOW}, ? from sessions where id = ? and epoch = ? and ${HEAD} = ?`;
const INSERT = `insert into entries (session_id, seq, epoch, at, body) values (?, ?, ?, ${NOW}, ?)`;
const READ = 'select seq, epoch, at, body from entries where session_id = ? and seq > ? and seq <= ? order by seq';
/** One row without a body for an empty inbox, none for an unknown session: it is read before every turn. */
const READ_INBOX = `select message_id, body from sessions left join inbox on session_id = id
  where id = ? order by position`;
const SAVE_SNAPSHOT = 'insert or replace into snapshots (session_id, seq, format, state) values (?, ?, ?, ?)';
const LATEST_SNAPSHOT = 'select seq, state from snapshots where session_id = ? and format = ?';
const GET_BLOB = 'select bytes from blobs where session_id = ? and sha256 = ?';
const COPY_TITLE = `update sessions set title = (select body ->> '$.title' from entries
  where session_id = id and body ->> '$.type' = 'title' order by seq desc limit 1) where id = ?`;
// Values are bound in order, one for each `?`: Node 22.18 does not bind numbered parameters by position.
const KNOWN_MESSAGE = `select 1 from inbox where session_id = ? and message_id = ?
  union all select 1 from delivered where session_id = ? and message_id = ?`;
const ENQUEUE = `insert into inbox (session_id, position, message_id, body)
  values (?, (select coalesce(max(position), 0) + 1 from inbox where session_id = ?), ?, ?)`;

function create({ all, run }: OpenSqlite, sessionId: string, bodies: readonly string[], first: EntryBody): void {
  if (all('select 1 from sessions where id = ?', sessionId).length > 0) throw alreadyExists(sessionId);
  const cwd = first.type === 'session_created' ? first.cwd : '';
  run(`insert into sessions (id, cwd, epoch, lease_until, updated_at) values (?, ?, 0, 0, ${NOW})`, sessionId, cwd);
  bodies.forEach((body, index) => run(INSERT, sessionId, index + 1, 0, body));
}

interface Append {
  readonly sessionId: string;
  readonly expected: ExpectedHead;
  readonly entries: readonly EntryBody[];
  readonly consume: readonly string[];
}

function append({ all, run }: OpenSqlite, { sessionId, expected, entries, consume }: Append): number {
  const bodies = entries.map((body) => entryJson(sessionId, body));
  const { epoch, head } = expected;
  const [first, ...others] = bodies;
  if (first === undefined || run(INSERT_NEXT, head + 1, first, sessionId, epoch, head) === 0) {
    const found = headOf(all, sessionId);
    if (found.epoch !== epoch || found.head !== head) throw refusal(sessionId, expected, found);
  }
  others.forEach((body, index) => run(INSERT, sessionId, head + index + 2, epoch, body));
  // Inside a run the renewal of the lease sets the time: on each append it would write three more pages.
  if (!entries.every(isStepOfRun)) run(TOUCH, sessionId);
  for (const id of consume) {
    run('delete from inbox where session_id = ? and message_id = ?', sessionId, id);
    run('insert or ignore into delivered values (?, ?)', sessionId, id);
  }
  for (const body of entries)
    if (body.type === 'title') run('update sessions set title = ? where id = ?', body.title, sessionId);
  return head + bodies.length;
}

/** Between the start and the end of a run, which both set the exact time. */
function isStepOfRun(body: EntryBody): boolean {
  if (body.type !== 'record') return false;
  const { type } = body.record;
  return type === 'message' || type === 'tool_started' || type === 'tool_finished';
}

function enqueue({ all, run }: OpenSqlite, sessionId: string, item: InboxItem): boolean {
  headOf(all, sessionId);
  const { id } = item.message;
  if (all(KNOWN_MESSAGE, sessionId, id, sessionId, id).length > 0) return false;
  run(ENQUEUE, sessionId, sessionId, id, entryJson(sessionId, item));
  return true;
}

function fork(open: OpenSqlite, { sessionId, upTo, newId }: { sessionId: string; upTo: number; newId: string }): void {
  headOf(open.all, sessionId);
  const bodies = open.all(READ, sessionId, 0, upTo).map((row) => String(row['body']));
  const first = JSON.parse(bodies[0] ?? '{}') as EntryBody;
  const named = { ...first, forkedFrom: { sessionId, seq: upTo } } as EntryBody;
  create(open, newId, [JSON.stringify(named), ...bodies.slice(1)], named);
  open.run(COPY_TITLE, newId);
  open.run('insert into blobs select ?, sha256, bytes from blobs where session_id = ?', newId, sessionId);
}

function list({ all }: OpenSqlite, query: Parameters<SessionStore['list']>[0] = {}): SessionPage {
  const { cwd, cursor, limit = 50 } = query;
  const [time, id] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, ''] : splitCursor(cursor);
  const where = `${cwd === undefined ? '' : 'cwd = ? and '}(updated_at < ? or (updated_at = ? and id > ?))`;
  const sql = `select id, cwd, title, ${HEAD} as head, updated_at from sessions where ${where} order by updated_at desc, id limit ?`;
  const rows = all(sql, ...(cwd === undefined ? [] : [cwd]), time, time, id, limit + 1);
  const sessions = rows.slice(0, limit).map((row) => ({
    sessionId: String(row['id']),
    cwd: String(row['cwd']),
    ...(row['title'] === null ? {} : { title: String(row['title']) }),
    head: Number(row['head']),
    updatedAt: new Date(Number(row['updated_at'])).toISOString(),
  }));
  const last = rows[limit - 1];
  return {
    sessions,
    ...(rows.length > limit && last ? { cursor: `${String(last['updated_at'])}:${String(last['id'])}` } : {}),
  };
}

function splitCursor(cursor: string): [number, string] {
  const [time = '', id = ''] = cursor.split(':');
  return [Number(time), id];
}

function entryOf(row: Row, sessionId: string): SessionEntry {
  try {
    return {
      seq: Number(row['seq']),
      at: new Date(Number(row['at'])).toISOString(),
      epoch: Number(row['epoch']),
      body: JSON.parse(String(row['body'])) as EntryBody,
    };
  } catch (cause) {
    throw damaged(`Entry ${String(row['seq'])}`, sessionId, cause);
  }
}

function itemOf(row: Row, sessionId: string): InboxItem {
  try {
    return JSON.parse(String(row['body'])) as InboxItem;
  } catch (cause) {
    throw damaged(`Message ${String(row['message_id'])}`, sessionId, cause);
  }
}

function damaged(what: string, sessionId: string, cause: unknown): SessionError {
  return new SessionError(`${what} of session ${sessionId} is damaged; restore it from a copy`, {
    code: 'SESSION_CONFLICT',
    cause,
  });
}
