import type { EntryBody } from '../log/entry.ts';
import type { ExpectedHead, ImmediateReads, SessionStore } from '../log/session-store.ts';
import { entryJson, refusal } from './refusals.ts';
import { type Access, HEAD, headOf, KEYS_OF, KEYS_OF_ROW, NOW, SEQUENCE } from './sqlite-access.ts';
import type { OpenSqlite } from './sqlite-file.ts';

export type LogMethods = Pick<SessionStore, 'append' | 'read'>;

const TOUCH = `update sessions set updated_at = ${NOW} where id = ?`;
/** An entry behind the last one that this connection has added. */
const INSERT_BEHIND = `insert into entries (key, epoch, at, body) values (last_insert_rowid() + 1, ?, ${NOW}, ?)`;
/** Compare and swap: adds the entry only where the session has this epoch and head. */
const INSERT_NEXT = `insert into entries (key, epoch, at, body)
  select ${KEYS_OF_ROW} + ${SEQUENCE}, epoch, ${NOW}, ? from sessions where id = ? and epoch = ? and ${HEAD} = ?`;
const INSERT = `insert into entries (key, epoch, at, body) values (${KEYS_OF} + ${SEQUENCE}, ?, ${NOW}, ?)`;

/** The log of a session. */
export function logMethods({ write }: Access, now: ImmediateReads): LogMethods {
  let tip: Tip | undefined;
  return {
    append: (sessionId, expected, entries, consume = []) =>
      write((open) => {
        tip = append(open, { sessionId, expected, entries, consume, tip });
        return tip.head;
      }),
    async *read(sessionId, range) {
      yield* now.read(sessionId, range);
    },
  };
}

interface Append {
  readonly sessionId: string;
  readonly expected: ExpectedHead;
  readonly entries: readonly EntryBody[];
  readonly consume: readonly string[];
  /** The end of the append before. */
  readonly tip: Tip | undefined;
}
/** Where an append has ended. While the mark is the same, nothing was written since, by whomever. */
interface Tip extends ExpectedHead {
  readonly sessionId: string;
  readonly mark: number;
}

function append(open: OpenSqlite, { sessionId, expected, entries, consume, tip }: Append): Tip {
  const { all, run } = open;
  const bodies = entries.map((body) => entryJson(sessionId, body));
  const { epoch, head } = expected;
  const isBehind = tip?.mark === open.mark() && tip.sessionId === sessionId && tip.epoch === epoch && tip.head === head;
  const [first, ...others] = bodies;
  const added =
    first === undefined
      ? 0
      : isBehind
        ? run(INSERT_BEHIND, epoch, first)
        : run(INSERT_NEXT, head + 1, first, sessionId, epoch, head);
  if (added === 0) {
    const found = headOf(all, sessionId);
    if (found.epoch !== epoch || found.head !== head) throw refusal(sessionId, expected, found);
  }
  for (const body of others) run(INSERT_BEHIND, epoch, body);
  const mark = open.mark();
  // Inside a run the renewal of the lease sets the time: on each append it would write three more pages.
  if (!entries.every(isStepOfRun)) run(TOUCH, sessionId);
  for (const id of consume) {
    run('delete from inbox where session_id = ? and message_id = ?', sessionId, id);
    run('insert or ignore into delivered (session_id, message_id) values (?, ?)', sessionId, id);
  }
  for (const body of entries) note(open, sessionId, body);
  return { sessionId, epoch, head: head + bodies.length, mark };
}

/** One entry, as JSON. */
export function insert(
  { run }: OpenSqlite,
  { sessionId, seq, epoch, body }: { sessionId: string; seq: number; epoch: number; body: string },
): void {
  run(INSERT, sessionId, seq, epoch, body);
}

/** Keeps what the list of sessions shows of an entry. */
export function note({ run }: OpenSqlite, sessionId: string, body: EntryBody): void {
  if (body.type === 'title') run('update sessions set title = ? where id = ?', body.title, sessionId);
  if (body.type === 'metadata')
    run('update sessions set metadata = ? where id = ?', JSON.stringify(body.metadata), sessionId);
}

/** Between the start and the end of a run, which both set the exact time. */
function isStepOfRun({ type }: EntryBody): boolean {
  return type === 'record' || type === 'blob';
}
