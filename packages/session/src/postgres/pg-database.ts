import { AgentError, isAgentError } from '@x/core';
import type { Pool } from 'pg';
import type { StoredRow } from '../store/stored-entry.ts';
import type { Database, Query } from './database.ts';
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
  }): Promise<{ rows: StoredRow[] }>;
  /** `true`: the connection is closed instead of being used again. */
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** Milliseconds to wait for a connection: as long as SQLite waits for a lock. */
const CONNECT_MS = 5_000;
/** Milliseconds after which a statement counts as lost with its connection: half of a lease. */
const ANSWER_MS = 15_000;

/** Opens a pool of `pg`, an optional peer. @throws AgentError `STORE_FAILED` when it is not installed */
export async function openPool(connectionString: string, connections: number): Promise<PostgresPool & AsyncDisposable> {
  const MadePool = await loadPool();
  const pool = new MadePool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'agent-sdk',
    allowExitOnIdle: true,
  });
  pool.on('error', ignore);
  return { connect: () => pool.connect(), [Symbol.asyncDispose]: () => pool.end() };
}

/** A database behind a pool. `prepared`: statements with values are parsed once for each connection. */
export function pgDatabase(pool: PostgresPool & Partial<AsyncDisposable>, prepared: boolean): Database {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    let name = names.get(text);
    // Stores that share a pool must not give one name to two texts.
    if (name === undefined) names.set(text, (name = `agent_sdk_${hashOf(text)}`));
    return name;
  };
  const queryOn = (client: PostgresPoolClient): Query => {
    return async (text, values = []) => {
      const named = prepared && values.length > 0 ? { name: nameOf(text) } : {};
      return (await client.query({ ...named, text, values: [...values] })).rows;
    };
  };
  return {
    query: (text, values) => withClient(pool, (client) => queryOn(client)(text, values)),
    transaction: (work) =>
      withClient(pool, async (client) => {
        const query = queryOn(client);
        await query('begin');
        try {
          const value = await work(query);
          await query('commit');
          return value;
        } catch (error) {
          await query('rollback').catch(ignore); // a connection that is lost rolls back by itself
          throw error;
        }
      }),
    async close() {
      await pool[Symbol.asyncDispose]?.();
    },
  };
}

async function withClient<T>(pool: PostgresPool, work: (client: PostgresPoolClient) => Promise<T>): Promise<T> {
  let client: PostgresPoolClient;
  try {
    client = await pool.connect();
  } catch (cause) {
    throw postgresError(cause, 'read'); // nothing was sent
  }
  client.on('error', ignore);
  let isLost = false;
  try {
    return await work(client);
  } catch (error) {
    isLost = !isRefusal(error);
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(isLost);
  }
}

/** True for an error of ours, or of the server about one statement: the connection is as good as before. */
function isRefusal(error: unknown): boolean {
  if (isAgentError(error)) return true;
  const { severity } = (error ?? {}) as { readonly severity?: unknown }; // read as possibly absent
  return severity === 'ERROR';
}

/** The statement that was under way on a lost connection rejects; the pool opens another one. */
function ignore(): void {}

/** @throws AgentError `STORE_FAILED` */
async function loadPool(): Promise<typeof Pool> {
  try {
    return (await import('pg')).default.Pool;
  } catch (cause) {
    throw new AgentError('A Postgres store needs the package pg; install it: npm install pg', {
      code: 'STORE_FAILED',
      statusCode: 503,
      cause,
    });
  }
}

function hashOf(text: string): string {
  const { hash } = process.getBuiltinModule('node:crypto'); // once for each statement
  return hash('sha256', text).slice(0, 16);
}
