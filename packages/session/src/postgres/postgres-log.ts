import { inPages } from '../host/loop-share.ts';
import type { EntryBody } from '../log/entry.ts';
import { EntryPages, type TimedEntry } from '../log/entry-pages.ts';
import type { EntryRange, ExpectedHead, SessionStore } from '../log/session-store.ts';
import { entryJson, fencedAppend, isSessionId, notFound } from '../store/refusals.ts';
import { isStepOfRun } from '../store/run-mark.ts';
import { checksumOf, type StoredRow, timedEntryOf } from '../store/stored-entry.ts';
import type { InTurn } from './in-turn.ts';
import { type Access, NOW } from './postgres-access.ts';
import { listedValues } from './postgres-notes.ts';

export type LogMethods = Pick<SessionStore, 'append' | 'read'>;

/** Entries that are read at a time: 25 MB at most, of bodies of 256 KB. */
const PAGE = 100;

/**
 * Compare and swap, the entries and the inbox in one statement. It waits for another append of the session, and then compares again
 * (postgresql.org/docs/current/transaction-iso.html, Read Committed). Inside a run the renewal of the lease sets the time: setting it with
 * each append would write to three indexes more.
 */
const APPEND = `with own as (
    update :schema.sessions set head = head + cardinality($4::text[]), updated_at = case when $7::boolean then ${NOW} else updated_at end,
      run = coalesce($8::text, run), waits_until = case when $8::text is null then waits_until else $9::double precision end,
      last_result = coalesce($10::text, last_result), title = coalesce($11::text, title), metadata = coalesce($12::text, metadata),
      labels = coalesce($13::text[], labels)
    where id = $1 and epoch = $2::bigint and head = $3::bigint returning number
  ), written as (
    insert into :schema.entries (number, seq, epoch, at, checksum, body)
    select number, $3::bigint + place, $2::bigint, ${NOW}, checksum, body
    from own, unnest($4::text[], $5::bigint[]) with ordinality as given (body, checksum, place)
  ), taken as (
    insert into :schema.messages (number, message_id) select number, id from own, unnest($6::text[]) as id
    on conflict (number, message_id) do update set body = null
  )
  select 1 from own`;
const HEAD = 'select epoch::float8 as epoch, head::float8 as head from :schema.sessions where id = $1';
const READ = `select session.number::float8 as number, head::float8 as head, seq::float8 as seq, entry.epoch::float8 as epoch,
    at::float8 as at, checksum::float8 as checksum, body
  from :schema.sessions as session left join lateral (
    select * from :schema.entries where number = session.number and seq > $2::bigint and seq <= $3::bigint order by seq limit ${PAGE}
  ) as entry on true
  where id = $1 and ($4::bigint is null or session.number = $4::bigint) order by seq`;

/** The log of a session. `onAppended` is called after each append. */
export function logMethods(access: Access, turns: InTurn, onAppended: (sessionId: string) => void): LogMethods {
  return {
    async append(sessionId, expected, entries, consume = []) {
      const values = valuesOf({ sessionId, expected, entries, consume }); // now: the caller may change what it gave
      await turns.run(sessionId, () => append(access, { sessionId, expected, values }));
      onAppended(sessionId);
      return expected.head + entries.length;
    },
    read: (sessionId, range) => new EntryPages(() => pages(access, sessionId, range)),
  };
}

interface Asked {
  readonly sessionId: string;
  readonly expected: ExpectedHead;
  readonly entries: readonly EntryBody[];
  readonly consume: readonly string[];
}

function valuesOf({ sessionId, expected: { epoch, head }, entries, consume }: Asked): readonly unknown[] {
  const bodies = entries.map((body) => entryJson(sessionId, body));
  const checksums = bodies.map((body, index) => checksumOf(head + 1 + index, body));
  const isTouched = !entries.every(isStepOfRun);
  return [sessionId, epoch, head, bodies, checksums, [...new Set(consume)], isTouched, ...listedValues(entries)];
}

async function append(
  access: Access,
  { sessionId, expected, values }: Pick<Asked, 'sessionId' | 'expected'> & { readonly values: readonly unknown[] },
): Promise<void> {
  const isId = isSessionId(sessionId);
  if (isId && (await access.write(APPEND, values)).length > 0) return;
  const [found] = isId ? await access.read(HEAD, [sessionId]) : [];
  if (!found) throw notFound(sessionId);
  throw fencedAppend(sessionId, expected, { epoch: Number(found['epoch']), head: Number(found['head']) });
}

async function* pages(
  access: Access,
  sessionId: string,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER }: EntryRange = {},
): AsyncGenerator<readonly TimedEntry[], void, void> {
  access.assertOpen();
  if (!isSessionId(sessionId)) throw notFound(sessionId);
  let number: number | null = null;
  let last = Math.floor(Math.min(upTo, Number.MAX_SAFE_INTEGER));
  for (let from = Math.floor(after); ; from += PAGE) {
    const rows = await access.read(READ, [sessionId, from, last, number]);
    const [first] = rows;
    // It may have been removed since, and another session may have its id.
    if (!first) throw notFound(sessionId);
    number ??= Number(first['number']);
    last = Math.min(last, Number(first['head'])); // what comes meanwhile is for the next reader
    yield* inPages(entriesIn(rows, sessionId));
    if (from + PAGE >= last) return;
  }
}

/** None for the session alone, without an entry. */
function* entriesIn(rows: readonly StoredRow[], sessionId: string): Generator<TimedEntry, void, void> {
  for (const row of rows) if (row['seq'] !== null) yield timedEntryOf(row, sessionId);
}
