import { AgentError } from '@x/core';
import type { Client, Pool } from 'pg';
import type { Database, Query } from './database.ts';
import { isRefusal, PoolConnections, type PostgresPool, type PostgresPoolClient } from './pool-connections.ts';

/** Milliseconds to wait for a connection: as long as SQLite waits for a lock. */
export const CONNECT_MS = 5_000;
/** Milliseconds after which a statement counts as lost with its connection: half of a lease. */
export const ANSWER_MS = 15_000;
/** The server ends a transaction whose owner is cut off, with its locks: the time between two statements of one. */
const CUT_OFF = `set local idle_in_transaction_session_timeout = ${ANSWER_MS}`;

/** Opens a pool of `pg`, an optional peer. @throws AgentError `STORE_FAILED` when it is not installed */
export async function openPool(connectionString: string, connections: number): Promise<PostgresPool & AsyncDisposable> {
  const { Pool: MadePool } = await loadPg();
  const pool = new MadePool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'agent-sdk',
    allowExitOnIdle: true,
  });
  pool.on('error', ignore);
  return { connect: () => pool.connect(), [Symbol.asyncDispose]: () => pool.end() };
}

/** A database behind a pool. `prepared`: statements with values are parsed once for each connection. */
export function pgDatabase(pool: PostgresPool & Partial<AsyncDisposable>, prepared: boolean): Database {
  const connections = new PoolConnections(pool, ANSWER_MS);
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
      return (await client.query({ ...named, text, values: [...values], query_timeout: ANSWER_MS })).rows;
    };
  };
  return {
    query: (text, values) => connections.use((client) => queryOn(client)(text, values)),
    transaction: (work) =>
      connections.use(async (client) => {
        const query = queryOn(client);
        await query('begin');
        try {
          await query(CUT_OFF);
          const value = await work(query);
          await query('commit');
          return value;
        } catch (error) {
          if (isRefusal(error)) await query('rollback').catch(ignore); // a connection that is lost rolls back by itself
          throw error;
        }
      }),
    async close() {
      await pool[Symbol.asyncDispose]?.();
    },
  };
}

/** The statement that was under way on a lost connection rejects; the pool opens another one. */
function ignore(): void {}

/** `pg`, an optional peer. @throws AgentError `STORE_FAILED` */
export async function loadPg(): Promise<{ readonly Client: typeof Client; readonly Pool: typeof Pool }> {
  try {
    return (await import('pg')).default;
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
