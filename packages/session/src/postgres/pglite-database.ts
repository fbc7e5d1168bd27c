import type { StoredRow } from '../store/stored-entry.ts';
import type { Database, Query } from './database.ts';
import type { OpenListening } from './listening.ts';

/** The part of a `PGlite` of `@electric-sql/pglite` that the store uses: Postgres in this process. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  transaction<T>(
    work: (transaction: { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }) => Promise<T>,
  ): Promise<T>;
  /** Of `NOTIFY`; without it live events stay with the store object of the run. Resolves with its end. */
  listen?(channel: string, callback: (text: string) => void): Promise<() => Promise<void>>;
}

/** A database in this process. The host closes it. */
export function pgliteDatabase(client: PostgresClient): Database {
  return {
    query: queryOn(client),
    transaction: (work) => client.transaction((one) => work(queryOn(one))),
    close: async () => undefined,
  };
}

/** Hears the notifications of a database in this process. */
export function pgliteListening(client: PostgresClient): OpenListening | undefined {
  const listen = client.listen?.bind(client);
  if (!listen) return undefined;
  return async ({ onText }) => {
    const ends = new Map<string, () => Promise<void>>();
    const unlisten = async (channel: string): Promise<void> => {
      const end = ends.get(channel);
      ends.delete(channel);
      await end?.();
    };
    return {
      query: queryOn(client),
      async listen(channel) {
        if (!ends.has(channel)) ends.set(channel, await listen(channel, (text) => onText(channel, text)));
      },
      unlisten,
      close() {
        for (const channel of ends.keys()) unlisten(channel).catch(() => undefined); // the host has closed it
      },
    };
  };
}

function queryOn(one: Pick<PostgresClient, 'query'>): Query {
  return async (text, values = []) => (await one.query(text, [...values])).rows as StoredRow[]; // safe: rows are objects
}
