import { DatabaseSync } from 'node:sqlite';

/** What is compared with: node:sqlite with one table and prepared statements, as durable as ours (WAL, synchronous=FULL). */
export function openBare(path) {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table if not exists messages (session text not null, seq integer not null, body text not null,
      primary key (session, seq)) without rowid;
    create table if not exists sessions (id text primary key, updated_at integer not null, title text) without rowid;
    create index if not exists by_time on sessions (updated_at desc, id)`);
  return database;
}
