import type { SQLOutputValue } from 'node:sqlite';
import type { TimedEntry } from '../log/entry-pages.ts';
import type { EntryRange, ImmediateReads } from '../log/session-store.ts';
import { notFound } from './refusals.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, headOf, KEYS_OF_NUMBER, SEQ, SEQUENCE } from './sqlite-fragments.ts';
import { entryOf, type StoredRow, timedEntryOf } from './stored-entry.ts';

/** Rows read at a time: bodies of that many, of 256 KB at most, are read in milliseconds. */
const PAGE = 50;
const READ = `select ${SEQ} as seq, epoch, at, body, checksum from entries
  where key > ${KEYS_OF_NUMBER} + ${SEQUENCE} and key <= ${KEYS_OF_NUMBER} + ${SEQUENCE} order by key`;
const LATEST_SNAPSHOT = 'select seq, state from snapshots where session_id = ? and format = ?';
const GET_BLOB = `select bytes from blob_uses join blobs using (sha256) where session_id = ? and sha256 = ?`;

/** Synchronous reads from SQLite. */
export function immediateReads({ read }: Access): ImmediateReads {
  return {
    read: (sessionId, range) => entriesIn(read, entryOf, sessionId, range),
    latestSnapshot(sessionId, format) {
      const { all } = read();
      headOf(all, sessionId);
      const [row] = all(LATEST_SNAPSHOT, sessionId, format);
      return row && { seq: Number(row['seq']), format, state: row['state'] as Uint8Array }; // safe: the column holds blobs
    },
    getBlob(sessionId, sha256) {
      const { all } = read();
      headOf(all, sessionId);
      const [row] = all(GET_BLOB, sessionId, sha256);
      return row?.['bytes'] as Uint8Array | undefined; // safe: the column holds blobs
    },
  };
}

/** The entries of a session, with their times as numbers. */
export function timedEntries({ read }: Access, sessionId: string, range?: EntryRange): Iterable<TimedEntry> {
  return entriesIn(read, timedEntryOf, sessionId, range);
}

function* entriesIn<T>(
  read: Access['read'],
  entryIn: (row: StoredRow, sessionId: string) => T,
  sessionId: string,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: EntryRange = {},
): Generator<T, void, void> {
  const { number, head } = headOf(read().all, sessionId);
  const last = Math.min(head, upTo);
  for (let from = after; from < last; from += PAGE) {
    const { all } = read();
    const rows = rowsOf(all, number, { after: from, upTo: Math.min(from + PAGE, last) });
    // It may have been removed since, and another session may have its id.
    if (rows.length === 0 && headOf(all, sessionId).number !== number) throw notFound(sessionId);
    for (const row of rows) yield entryIn(row, sessionId);
  }
}

/** Rows of the entries of the session with this number, with `seq`. */
export function rowsOf(
  all: OpenSqlite['all'],
  number: number,
  { after, upTo }: Required<EntryRange>,
): Record<string, SQLOutputValue>[] {
  return all(READ, number, after, number, upTo);
}
