import type { StoredRow } from '../store/stored-entry.ts';

/** Runs one statement with its values, which are `$1`, `$2`, ... in its text. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly StoredRow[]>;

/** A Postgres database, whoever drives it. Its errors are those of the driver. */
export interface Database {
  /** One statement, in a transaction of its own. */
  readonly query: Query;
  /** Several statements in one transaction, which is rolled back when `work` rejects. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Closes what was opened for it, and nothing that the host has given. */
  close(): Promise<void>;
}
