import { ValidationError } from '@x/core';
import { present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRule, type OptionRules } from '@x/errors/option-rules';
import type { SessionStore } from '../log/session-store.ts';
import type { Database } from './database.ts';
import { InTurn } from './in-turn.ts';
import type { OpenListening } from './listening.ts';
import { openPool, pgDatabase } from './pg-database.ts';
import { pgListening } from './pg-listening.ts';
import { type PostgresClient, pgliteDatabase, pgliteListening } from './pglite-database.ts';
import type { PostgresPool } from './pool-connections.ts';
import { Access } from './postgres-access.ts';
import { backlog, held } from './postgres-backlog.ts';
import { PostgresChanges } from './postgres-changes.ts';
import { besideMethods } from './postgres-inbox-and-blobs.ts';
import { leaseMethods } from './postgres-leases.ts';
import { list } from './postgres-list.ts';
import { PostgresLive } from './postgres-live.ts';
import { logMethods } from './postgres-log.ts';
import { sessionMethods } from './postgres-sessions.ts';

/** Where the tables are. Exactly one of `connectionString`, `pool` and `client`. */
export interface PostgresStoreOptions {
  /** Of the server, such as `postgres://user:password@host/database`: a pool of `pg` is opened on first use, and closed with the store. */
  readonly connectionString?: string;
  /** A `Pool` of `pg` with `connectionTimeoutMillis`, which the host closes and listens to (`pool.on('error', ...)`). */
  readonly pool?: PostgresPool;
  /** A `PGlite` of `@electric-sql/pglite`, for tests and single processes; the host closes it. */
  readonly client?: PostgresClient;
  /** Of the tables; small letters, digits and _, 63 at most. Default `agent_sdk`. */
  readonly schema?: string;
  /** Default true: creates the tables, or brings older ones forward. False: a missing or older schema is refused. */
  readonly migrate?: boolean;
  /** Default true: statements are prepared once for each connection. False behind a pooler in transaction mode. Not with `client`. */
  readonly prepared?: boolean;
  /** Connections that are opened at most, 1 to 1000. Default 10. Only with `connectionString`. */
  readonly connections?: number;
  /**
   * Of the server itself, not of a pooler: one connection more, over which live events reach those who follow a session in another process. False:
   * there is none, and they are told records alone. Default: `connectionString`, unless `prepared` is false; false with a `pool`. Not with `client`.
   */
  readonly liveConnectionString?: string | false;
}

const SCHEMA: OptionRule = is.rule(
  'the name of a schema: a small letter or _, then small letters, digits and _, 63 at most, not beginning with pg_',
  (value) => typeof value === 'string' && /^(?!pg_)[a-z_][a-z\d_]{0,62}$/.test(value),
);
const OPTIONS: OptionRules<PostgresStoreOptions> = {
  connectionString: is.secret(is.filledText),
  pool: is.having('a Pool of pg', 'connect'),
  client: is.having('a PGlite of @electric-sql/pglite', 'query', 'transaction'),
  schema: SCHEMA,
  migrate: is.flag,
  prepared: is.flag,
  connections: is.count(1, 1000),
  liveConnectionString: is.secret(is.either(is.filledText, is.oneOf(false))),
};

/**
 * Sessions in Postgres (12 or later), shared by any number of processes and machines. An append is one statement, and needs nothing of the
 * connection that lasts: it goes through a pooler in transaction mode too (with `prepared: false`). Leases end by the clock of the server. The
 * tables are made, or brought forward, on first use. While the server cannot be reached, errors are `retryable` and sessions wait. The caller
 * disposes of the store, after closing the sessions that use it. @throws ValidationError
 */
export function postgresStore(options: PostgresStoreOptions): SessionStore {
  checkOptions('The options', options, OPTIONS);
  const { schema = 'agent_sdk', migrate = true } = options;
  const access = new Access(opening(options), { schema, migrate });
  const turns = new InTurn();
  const changes = new PostgresChanges(access);
  const listening = listeningOf(options);
  const live = listening && new PostgresLive(listening, schema);
  return {
    ...logMethods(access, turns, (sessionId) => changes.appended(sessionId)),
    ...leaseMethods(access, turns),
    ...sessionMethods(access),
    ...besideMethods(access, turns),
    list: (query) => list(access, query),
    backlog: () => backlog(access),
    held: () => held(access),
    changes: (sessionId) => changes.of(sessionId),
    ...present({ live }),
    async [Symbol.asyncDispose]() {
      live?.close();
      changes.close();
      await access.close();
    },
  };
}

/** Opens the database that the options name. @throws ValidationError when they do not go together */
function opening(options: PostgresStoreOptions): () => Promise<Database> {
  const { connectionString, pool, client, prepared = true, connections = 10 } = options;
  if ([connectionString, pool, client].filter((given) => given !== undefined).length !== 1)
    throw new ValidationError('Give exactly one of connectionString, pool and client', 'connectionString');
  if (options.connections !== undefined && connectionString === undefined)
    throw new ValidationError('connections goes with connectionString; a pool has its own limit', 'connections');
  if (options.prepared !== undefined && client) throw new ValidationError('prepared goes without client', 'prepared');
  if (options.liveConnectionString !== undefined && client)
    throw new ValidationError('liveConnectionString goes without client', 'liveConnectionString');
  if (client) return async () => pgliteDatabase(client);
  if (pool) return async () => pgDatabase({ connect: () => pool.connect() }, prepared);
  return async () => pgDatabase(await openPool(connectionString ?? '', connections), prepared);
}

/** The channel for live events; undefined without one. */
function listeningOf(options: PostgresStoreOptions): OpenListening | undefined {
  const { connectionString, client, prepared = true, liveConnectionString = prepared && connectionString } = options;
  if (client) return pgliteListening(client);
  return liveConnectionString ? pgListening(liveConnectionString) : undefined;
}
