import { AgentError, SessionError } from '@x/core';
import type { Database, Query } from './database.ts';

/**
 * The version of the tables. Another minor one only adds what older code need not know (a table, an index, a column with a default), so
 * that two versions may run at a time; a major one is refused by older code.
 */
const VERSION = { major: 1, minor: 0 };
type Version = typeof VERSION;

/** The number that migrations of all stores lock, for one transaction: `agtS` in ASCII. */
const LOCK = 0x61677453;

/** Not by `to_regclass`, which would believe what the connection has looked up before it waited for the lock. */
const FIND = "select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = 'version'";
const READ = 'select major, minor from :schema.version';

/** How the tables are found, and made. */
export interface SchemaOptions {
  /** Needs no quotes. */
  readonly schema: string;
  readonly migrate: boolean;
}

/**
 * Creates the tables or brings older ones forward, in one transaction that only one process runs at a time.
 * @throws SessionError `LOG_TOO_NEW` for tables of a newer major version; AgentError `STORE_FAILED` for older or missing ones without `migrate`
 */
export async function prepareSchema(database: Database, { schema, migrate }: SchemaOptions): Promise<void> {
  const found = await versionIn(database.query, schema);
  if (found && isUsable(found, schema)) return;
  if (!migrate) throw notMigrated(schema, found);
  await database.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(${LOCK})`);
    // Another process may have done it while this one waited.
    const current = await versionIn(query, schema);
    if (current && isUsable(current, schema)) return;
    for (const statement of current ? stepsFrom(current) : TABLES) await query(within(schema, statement));
    await query(within(schema, 'delete from :schema.version'));
    await query(within(schema, `insert into :schema.version values (${VERSION.major}, ${VERSION.minor})`));
  });
}

/** The statement for the tables of this schema. */
export function within(schema: string, statement: string): string {
  return statement.replaceAll(':schema', `"${schema}"`);
}

async function versionIn(query: Query, schema: string): Promise<Version | undefined> {
  if ((await query(FIND, [schema])).length === 0) return undefined;
  const [version] = await query(within(schema, READ));
  return version && { major: Number(version['major']), minor: Number(version['minor']) };
}

/** False for an older version. @throws SessionError `LOG_TOO_NEW` */
function isUsable(found: Version, schema: string): boolean {
  if (found.major > VERSION.major) {
    const message = `The tables in the schema ${schema} are of version ${shown(found)}, and this one knows ${shown(VERSION)}; update this one`;
    throw new SessionError(message, { code: 'LOG_TOO_NEW' });
  }
  return found.major === VERSION.major && found.minor >= VERSION.minor;
}

function notMigrated(schema: string, found: Version | undefined): AgentError {
  const state = found ? `are of version ${shown(found)}, and this one needs ${shown(VERSION)}` : 'are missing';
  return new AgentError(
    `The tables of the session store in the schema ${schema} ${state}; open the store once with migrate: true, as a user who may create tables`,
    { code: 'STORE_FAILED', statusCode: 503 },
  );
}

function shown({ major, minor }: Version): string {
  return `${major}.${minor}`;
}

/** There is one version so far. */
function stepsFrom(_found: Version): readonly string[] {
  return [];
}

/**
 * Texts from outside that may hold NUL, which Postgres refuses, are kept as JSON: title, metadata. Labels are hashes of the metadata. Rows of
 * sessions are changed by each append, and have room for it in their page; large bytes have tables of their own.
 */
const TABLES: readonly string[] = [
  'create schema if not exists :schema',
  'create table :schema.version (major integer not null, minor integer not null)',
  `create table :schema.sessions (
    number bigint generated always as identity primary key, id text collate "C" not null unique, cwd text not null,
    title text, metadata text, labels text[] not null default '{}', forked_from text, head bigint not null, epoch bigint not null default 0,
    owner text, lease_until bigint not null default 0, run text not null default 'ended', waits_until double precision, last_result text,
    updated_at bigint not null
  ) with (fillfactor = 70)`,
  'create index sessions_by_time on :schema.sessions (updated_at desc, id)',
  'create index sessions_by_cwd on :schema.sessions (md5(cwd), updated_at desc, id)',
  "create index sessions_by_run on :schema.sessions (updated_at desc, id) where run <> 'ended'",
  'create index sessions_by_label on :schema.sessions using gin (labels)',
  `create table :schema.entries (
    number bigint not null, seq bigint not null, epoch bigint not null, at bigint not null, checksum bigint not null, body text not null,
    primary key (number, seq))`,
  `create table :schema.messages (
    number bigint not null references :schema.sessions on delete cascade, message_id text collate "C" not null,
    position bigint generated always as identity, body text, primary key (number, message_id))`,
  'create index messages_waiting on :schema.messages (number, position) where body is not null',
  `create table :schema.snapshots (
    number bigint primary key references :schema.sessions on delete cascade, seq bigint not null, format integer not null,
    state bytea not null)`,
  'alter table :schema.snapshots alter column state set storage external',
  'create table :schema.blobs (sha256 text collate "C" primary key, bytes bytea not null)',
  'alter table :schema.blobs alter column bytes set storage external',
  `create table :schema.blob_uses (
    number bigint not null references :schema.sessions on delete cascade, sha256 text collate "C" not null references :schema.blobs,
    primary key (number, sha256))`,
  'create index blob_uses_by_hash on :schema.blob_uses (sha256)',
];
