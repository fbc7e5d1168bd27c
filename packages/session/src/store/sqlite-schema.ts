import type { DatabaseSync } from 'node:sqlite';
import { SessionError } from '@x/core';
import { APPLICATION_ID } from './sqlite-identity.ts';

const VERSION = 4;
const MARKS = `pragma user_version = ${VERSION}; pragma application_id = ${APPLICATION_ID}`;

/**
 * Creates the tables, or upgrades an older file in one transaction; `isReadOnly`: one of the version before is read as if it were upgraded.
 * @throws SessionError `LOG_TOO_NEW` for a file of a newer version
 */
export function migrate(database: DatabaseSync, path: string, isReadOnly = false): void {
  const { user_version: found } = database.prepare('pragma user_version').get() as { user_version: number };
  if (found === VERSION) return;
  if (found > VERSION) {
    const message = `${path} was written by a newer version (${found}, this one knows ${VERSION}); update this one`;
    throw new SessionError(message, { code: 'LOG_TOO_NEW' });
  }
  if (isReadOnly && found === VERSION - 1) return database.exec(VIEWS);
  database.exec('begin immediate');
  try {
    // Another process may have upgraded it while this one waited for the lock.
    const { user_version: current } = database.prepare('pragma user_version').get() as { user_version: number };
    if (current < VERSION) database.exec(`${current === 0 ? TABLES : STEPS.slice(current - 1).join(';')}; ${MARKS}`);
    database.exec('commit');
  } catch (error) {
    // SQLite rolls back by itself after some errors, a full disk among them.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

const SESSIONS = `
  create table sessions (
    number integer primary key autoincrement, id text not null unique, cwd text not null, title text, metadata text, forked_from text,
    epoch integer not null, owner text, lease_until integer not null, updated_at integer not null
  );
  create index sessions_by_time on sessions (updated_at desc, id);
  create index sessions_by_cwd on sessions (cwd, updated_at desc, id)`;
/** Of version 2. */
const ENTRIES =
  'create table entries (key integer primary key, epoch integer not null, at integer not null, body text not null)';
/** Entries from before version 3 have none. */
const CHECKSUMS = 'alter table entries add column checksum integer';
const SNAPSHOTS =
  'create table snapshots (session_id text primary key, seq integer not null, format integer not null, state blob not null)';

/** Of version 2: each session had its own. */
const BLOBS =
  'create table blobs (session_id text not null, sha256 text not null, bytes blob not null, primary key (session_id, sha256))';
/** Stores blobs once for all sessions that use them. The bytes stay where they are: a large file is upgraded as quickly. */
const SHARED_BLOBS = `alter table blobs rename column session_id to first_session_id;
  create table blob_uses (session_id text not null, sha256 text not null, primary key (session_id, sha256)) without rowid;
  create index blob_uses_by_hash on blob_uses (sha256);
  insert into blob_uses select first_session_id, sha256 from blobs;
  delete from blobs where rowid not in (select min(rowid) from blobs group by sha256);
  create unique index blobs_by_hash on blobs (sha256)`;

/** The last entry about the course of a run, of the session in the row. */
const lastOfRun = (types: string, column: string): string =>
  `(select ${column} from entries where key between number * 4294967296 and number * 4294967296 + 4294967295
    and body like '%"type":"run_%' and iif(json_valid(body), body ->> '$.type', '') in (${types}) order by key desc limit 1)`;
const COURSE = "'run_started', 'run_resumed', 'run_left', 'run_ended'";
const RUN = `case body ->> '$.type' when 'run_ended' then null
  when 'run_left' then iif(body -> '$.waits' is null, 'open', 'waiting') else 'open' end`;
const UNTIL = "body ->> '$.waits.until'";
const RESULT = `iif(body -> '$.error' is null, json_object('subtype', body ->> '$.subtype'),
  json_object('subtype', body ->> '$.subtype', 'error', json_object('code', body ->> '$.error.code', 'message', body ->> '$.error.message')))`;
/** Sets what the list shows of runs from the log of each session; `where` may follow. */
export const MARK_FROM_LOG: string = `update sessions set run = ${lastOfRun(COURSE, RUN)}, waits_until = ${lastOfRun(COURSE, UNTIL)}, last_result = ${lastOfRun("'run_ended'", RESULT)}`;
/** What version 4 has more than version 3, worked out with each query. */
const VIEWS = `pragma temp_store = memory;
  create temp view sessions as select *, ${lastOfRun(COURSE, RUN)} as run, ${lastOfRun(COURSE, UNTIL)} as waits_until,
    ${lastOfRun("'run_ended'", RESULT)} as last_result from main.sessions;
  create temp view session_metadata as select main.sessions.id as session_id, found.key, found.value
    from main.sessions, json_each(iif(json_valid(metadata), metadata, '{}')) found`;
/** Puts the metadata of a session into the index of their values; two `?`, its id. */
export const INDEX_METADATA =
  'insert into session_metadata select ?, key, value from json_each((select metadata from sessions where id = ?))';
/** Since version 4: the state of sessions, and an index of their metadata. */
const STATES = `alter table sessions add column run text; alter table sessions add column waits_until integer; alter table sessions add column last_result text;
  create index sessions_by_run on sessions (run, updated_at desc, id) where run is not null;
  create table session_metadata (session_id text not null, key text not null, value text not null, primary key (session_id, key)) without rowid;
  create index sessions_by_metadata on session_metadata (key, value)`;

/** Steps from version 1 to 2, from 2 to 3, and so on. */
const STEPS = [
  // Entries had the id of their session, sessions their head. Snapshots are caches: the old ones, of another type, may go. Leases are noted in another way.
  `alter table sessions rename to old_sessions; alter table entries rename to old_entries;
   drop index sessions_by_time; drop index sessions_by_cwd; ${SESSIONS}; ${ENTRIES};
   insert into sessions (id, cwd, title, forked_from, epoch, lease_until, updated_at)
     select id, cwd, title, (select body ->> '$.forkedFrom.sessionId' from old_entries where session_id = id and seq = 1),
       epoch, lease_until, updated_at from old_sessions order by updated_at;
   insert into entries select number * 4294967296 + seq, old_entries.epoch, at, body
     from old_entries join sessions on id = session_id order by 1;
   drop table old_entries; drop table old_sessions; drop table snapshots; ${SNAPSHOTS}`,
  `${CHECKSUMS}; ${SHARED_BLOBS}`,
  `${STATES}; ${MARK_FROM_LOG};
   insert into session_metadata select sessions.id, found.key, found.value from sessions, json_each(iif(json_valid(metadata), metadata, '{}')) found`,
];

const TABLES = `${SESSIONS}; ${ENTRIES}; ${CHECKSUMS};
  create table inbox (
    session_id text not null, position integer not null, message_id text not null, body text not null,
    primary key (session_id, position)
  ) without rowid;
  create table delivered (session_id text not null, message_id text not null, primary key (session_id, message_id)) without rowid;
  ${SNAPSHOTS};
  ${BLOBS}; ${SHARED_BLOBS}; ${STATES}`;
