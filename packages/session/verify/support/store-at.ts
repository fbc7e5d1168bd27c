import { type SessionStore, sqliteStore } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';

/** The store at a path, or behind the URL of a Postgres database. */
export function storeAt(place: string): SessionStore {
  return place.startsWith('postgres:')
    ? postgresStore({ connectionString: place, connections: 4 })
    : sqliteStore({ path: place });
}
