import type { StoredRow } from '../store/stored-entry.ts';
import type { Database, Query } from './database.ts';

/** The part of a `PGlite` of `@electric-sql/pglite` that the store uses: Postgres in this process. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  transaction<T>(
    work: (transaction: { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }) => Promise<T>,
  ): Promise<T>;
}

/** A database in this process. The host closes it. */
export function pgliteDatabase(client: PostgresClient): Database {
  const queryOn = (one: Pick<PostgresClient, 'query'>): Query => {
    return async (text, values = []) => (await one.query(text, [...values])).rows as StoredRow[]; // safe: rows are objects
  };
  return {
    query: queryOn(client),
    transaction: (work) => client.transaction((one) => work(queryOn(one))),
    close: async () => undefined,
  };
}
