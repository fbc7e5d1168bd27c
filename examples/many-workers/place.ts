import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunEngine, type SessionStore, sqliteStore } from '@x/agent-sdk';
import { pgBossEngine } from '@x/agent-sdk/pg-boss';
import { postgresStore } from '@x/agent-sdk/postgres';

/** Where sessions and the asks for their runs are kept; shared by the front and all workers. */
export interface Place {
  readonly store: SessionStore;
  /** Absent on one machine: its workers look for messages. */
  readonly engine?: RunEngine;
}

/** Postgres on any number of machines (`DATABASE_URL`), or a file of this one (`SESSIONS_DB`). */
export function openPlace(): Place {
  const { DATABASE_URL: connectionString, SESSIONS_DB: path = join(tmpdir(), 'many-workers.db') } = process.env;
  if (!connectionString) return { store: sqliteStore({ path }) };
  return { store: postgresStore({ connectionString }), engine: pgBossEngine({ connectionString }) };
}

/** To be called after the hosts are closed. */
export async function closePlace({ store, engine }: Place): Promise<void> {
  await engine?.[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
}
