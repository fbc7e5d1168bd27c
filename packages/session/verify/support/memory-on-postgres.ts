import type { SessionStore } from '../../src/log/session-store.ts';
import { postgresStore } from '../../src/postgres/index.ts';

const connectionString = process.env['TESTS_ON_POSTGRES'] ?? '';
let stores = 0;

/** Stands in for the store in memory: one on Postgres, with tables of its own. It is closed with its process, as that one is. */
export function memoryStore(): SessionStore {
  const schema = `t${process.pid}_${Date.now().toString(36)}_${(stores += 1)}`;
  return postgresStore({ connectionString, schema, connections: 2, liveConnectionString: false });
}
