import { isAgentError } from '@x/core';
import type { StoredRow } from '../store/stored-entry.ts';
import { postgresError } from './postgres-error.ts';

/** The part of a `Pool` of `pg` that the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>;
}
/** The part of a `PoolClient` of `pg` that the store uses. */
export interface PostgresPoolClient {
  query(query: {
    readonly name?: string;
    readonly text: string;
    readonly values: unknown[];
    /** Milliseconds after which it rejects without an answer. */
    readonly query_timeout: number;
  }): Promise<{ rows: StoredRow[] }>;
  /** `true`: the connection is closed instead of being used again. */
  release(destroy?: boolean): void;
  /** Lets the process end while the connection is open. */
  unref?(): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/**
 * Connections of a pool, while the network may be cut without a word: a wait for one is bounded, also where the pool of a host would wait for
 * ever; and once one was lost, those that have not answered since are closed unused, which may be as dead as that one.
 */
export class PoolConnections {
  readonly #pool: PostgresPool;
  readonly #waitMs: number;
  /** By `performance.now()`. */
  readonly #answeredAt = new WeakMap<PostgresPoolClient, number>();
  /** The start of the work whose connection was lost last. */
  #lostAt = Number.NEGATIVE_INFINITY;

  constructor(pool: PostgresPool, waitMs: number) {
    this.#pool = pool;
    this.#waitMs = waitMs;
  }

  /** Gives the connection back after `work`; one that is lost is closed. */
  async use<T>(work: (client: PostgresPoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const startedAt = performance.now();
    client.on('error', ignore);
    let isLost = false;
    try {
      return await work(client);
    } catch (error) {
      isLost = !isRefusal(error);
      throw error;
    } finally {
      if (isLost) this.#lostAt = Math.max(this.#lostAt, startedAt);
      else this.#answeredAt.set(client, performance.now());
      client.off('error', ignore);
      client.release(isLost);
    }
  }

  async #connect(): Promise<PostgresPoolClient> {
    try {
      for (;;) {
        const client = await this.#connectInTime();
        const answeredAt = this.#answeredAt.get(client) ?? Number.POSITIVE_INFINITY; // a new one has just answered
        if (answeredAt >= this.#lostAt) return client;
        client.unref?.(); // its farewell may never arrive
        client.release(true);
      }
    } catch (cause) {
      throw postgresError(cause, 'read'); // nothing was sent
    }
  }

  async #connectInTime(): Promise<PostgresPoolClient> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('No connection was opened in time')), this.#waitMs);
    const connecting = this.#pool.connect();
    try {
      return await Promise.race([connecting, late.promise]);
    } catch (error) {
      connecting.then((client) => client.release(), ignore);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** True for an error of ours, or of the server about one statement: the connection is as good as before. */
export function isRefusal(error: unknown): boolean {
  if (isAgentError(error)) return true;
  const { severity } = (error ?? {}) as { readonly severity?: unknown }; // read as possibly absent
  return severity === 'ERROR';
}

/** The statement that was under way on a lost connection rejects; the pool opens another one. */
function ignore(): void {}
