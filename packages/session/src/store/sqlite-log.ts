import { inPages } from '../host/loop-share.ts';
import type { EntryBody } from '../log/entry.ts';
import { EntryPages } from '../log/entry-pages.ts';
import { weighedJson } from '../log/large-body.ts';
import type { ExpectedHead, SessionStore } from '../log/session-store.ts';
import { entryJson, fencedAppend } from './refusals.ts';
import { isStepOfRun, lastMark } from './run-mark.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, headOf, KEYS_OF, KEYS_OF_ROW, NOW, SEQUENCE } from './sqlite-fragments.ts';
import { timedEntries } from './sqlite-reads.ts';
import { INDEX_METADATA } from './sqlite-schema.ts';
import { checksumOf } from './stored-entry.ts';

export type LogMethods = Pick<SessionStore, 'append' | 'read'>;

const TOUCH = `update sessions set updated_at = ${NOW} where id = ?`;
const MARK = `update sessions set updated_at = ${NOW}, run = ?, waits_until = ?, last_result = coalesce(?, last_result) where id = ?`;
/**
 * Compare and swap, where the head was at least the entry before: inserts the entry only if the session still exists and has this epoch.
 * Entries are removed only with their session, and numbers are never used again: if the head is higher by now, the key is taken. The time
 * is that of the process: SQLite is slow to compute it.
 */
const INSERT_NEXT = `insert or ignore into entries (key, epoch, at, body, checksum)
  select ${KEYS_OF_ROW} + ${SEQUENCE}, epoch, cast(? as integer), ?, cast(? as integer) from sessions where number = ? and epoch = ?`;
const INSERT = `insert into entries (key, epoch, at, body, checksum)
  values (${KEYS_OF} + ${SEQUENCE}, ?, ${NOW}, ?, cast(? as integer))`;

/** The log of a session. */
export function logMethods(access: Access): LogMethods {
  return {
    append(sessionId, expected, entries, consume = []) {
      const texts = entries.map(weighedJson); // now: others are weighed before this is written
      return access.write((open) => append(open, { sessionId, expected, entries, texts, consume }));
    },
    read: (sessionId, range) => new EntryPages(() => inPages(timedEntries(access, sessionId, range))),
  };
}

interface Append {
  readonly sessionId: string;
  readonly expected: ExpectedHead;
  readonly entries: readonly EntryBody[];
  /** The JSON of the entries, where it is known. */
  readonly texts: readonly (string | undefined)[];
  readonly consume: readonly string[];
}

/** The new head. */
function append(open: OpenSqlite, { sessionId, expected, entries, texts, consume }: Append): number {
  const { all, run, leased } = open;
  const { epoch, head } = expected;
  const bodies = entries.map((entry, index) => {
    const body = entryJson(sessionId, entry, texts[index]);
    return [body, checksumOf(head + 1 + index, body)] as const;
  });
  const at = Date.now();
  // The first one shows whether the others fit too.
  const add = (number: number) =>
    bodies.every((body, index) => run(INSERT_NEXT, head + 1 + index, at, ...body, number, epoch) > 0);
  const reached = head + bodies.length;
  const known = leased.find(sessionId);
  const isExpected = known?.epoch === epoch && known.head === head && reached > head;
  if (isExpected && add(known.number)) known.head = reached;
  else {
    leased.leave({ sessionId, epoch }); // it is not what it was taken for
    const found = headOf(all, sessionId);
    if (found.epoch !== epoch || found.head !== head) throw fencedAppend(sessionId, expected, found);
    add(found.number);
  }
  // Inside a run the renewal of the lease sets the time: setting it with each append would write three more pages.
  if (!entries.every(isStepOfRun)) touch(open, sessionId, entries);
  for (const id of consume) {
    run('delete from inbox where session_id = ? and message_id = ?', sessionId, id);
    run('insert or ignore into delivered (session_id, message_id) values (?, ?)', sessionId, id);
  }
  for (const body of entries) note(open, sessionId, body);
  return reached;
}

/** Sets the time, and what the list shows of the last run. */
function touch({ run }: OpenSqlite, sessionId: string, entries: readonly EntryBody[]): void {
  const mark = lastMark(entries);
  if (!mark) return void run(TOUCH, sessionId);
  const { run: course, until = null, lastResult } = mark;
  run(MARK, course, until, lastResult ? JSON.stringify(lastResult) : null, sessionId);
}

/** One entry, as JSON. */
export function insert(
  { run }: OpenSqlite,
  { sessionId, seq, epoch, body }: { sessionId: string; seq: number; epoch: number; body: string },
): void {
  run(INSERT, sessionId, seq, epoch, body, checksumOf(seq, body));
}

/** Keeps the fields that the list of sessions shows. */
export function note({ run }: OpenSqlite, sessionId: string, body: EntryBody): void {
  if (body.type === 'title') run('update sessions set title = ? where id = ?', body.title, sessionId);
  if (body.type !== 'metadata') return;
  run('update sessions set metadata = ? where id = ?', JSON.stringify(body.metadata), sessionId);
  run('delete from session_metadata where session_id = ?', sessionId);
  run(INDEX_METADATA, sessionId, sessionId);
}
