import type { Lease } from '../log/session-store.ts';
import { storeClosed } from '../store/refusals.ts';
import type { StoredRow } from '../store/stored-entry.ts';
import type { Database, Query } from './database.ts';
import { type CallKind, postgresError } from './postgres-error.ts';
import { prepareSchema, type SchemaOptions, within } from './postgres-schema.ts';

/** Milliseconds since 1970, by the clock of the server. */
export const NOW = '(floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';

/** Access of the parts of the store to its database, which is opened on first use. */
export class Access {
  /** By owner: leases that are over but may not have been given back. They do not delay anybody who asks here. */
  readonly over: Map<string, Lease> = new Map();
  readonly #open: () => Promise<Database>;
  readonly #schema: SchemaOptions;
  readonly #texts = new Map<string, string>();
  #opening: Promise<Database> | undefined;
  #isClosed = false;

  constructor(open: () => Promise<Database>, schema: SchemaOptions) {
    this.#open = open;
    this.#schema = schema;
  }

  /** Rows of a statement that changes nothing. */
  read(text: string, values: readonly unknown[]): Promise<readonly StoredRow[]> {
    return this.#call('read', ({ query }) => query(this.#textOf(text), values));
  }

  /** Changes by one statement; `kind` says what the same statement once more would do. */
  write(text: string, values: readonly unknown[], kind: CallKind = 'repeatable'): Promise<readonly StoredRow[]> {
    return this.#call(kind, ({ query }) => query(this.#textOf(text), values));
  }

  /** Changes by several statements, all or nothing. */
  transaction<T>(kind: CallKind, work: (query: Query) => Promise<T>): Promise<T> {
    return this.#call(kind, (database) =>
      database.transaction((query) => work((text, values) => query(this.#textOf(text), values))),
    );
  }

  /** @throws SessionError `SESSION_CLOSED` */
  assertOpen(): void {
    if (this.#isClosed) throw storeClosed('in Postgres');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#opening;
    this.#opening = undefined;
    const database = await opening?.catch(() => undefined); // it has closed itself
    await database?.close();
  }

  async #call<T>(kind: CallKind, act: (database: Database) => Promise<T>): Promise<T> {
    const database = await this.#opened();
    try {
      return await act(database);
    } catch (error) {
      throw postgresError(error, kind);
    }
  }

  /** After a failure the next use tries again. */
  async #opened(): Promise<Database> {
    this.assertOpen();
    this.#opening ??= this.#prepared();
    const opening = this.#opening;
    try {
      return await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  async #prepared(): Promise<Database> {
    const database = await this.#open();
    try {
      await prepareSchema(database, this.#schema);
      return database;
    } catch (error) {
      await database.close();
      throw postgresError(error, 'read'); // nothing of the call was sent
    }
  }

  #textOf(text: string): string {
    let own = this.#texts.get(text);
    if (own === undefined) this.#texts.set(text, (own = within(this.#schema.schema, text)));
    return own;
  }
}
