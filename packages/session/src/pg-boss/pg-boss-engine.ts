import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ENGINE_OPTIONS } from '../engine/local-engine.ts';
import { QueueEngine } from '../engine/queue-engine.ts';
import type { RunEngine } from '../engine/run-engine.ts';
import { type PgBossClient, type StartedBoss, startBoss } from './pg-boss-client.ts';
import { engineError } from './pg-boss-error.ts';
import { pgBossQueue } from './pg-boss-queue.ts';

/** Where the queue is, and how it is served. Exactly one of `connectionString` and `boss`. */
export interface PgBossEngineOptions {
  /** Of the server, such as `postgres://user:password@host/database`: a `PgBoss` is made on first use, and stopped with the engine. */
  readonly connectionString?: string;
  /**
   * A `PgBoss` of `pg-boss` that the host has started, listens to (`boss.on('error', ...)`) and stops after the engine. A worker that
   * dies is noticed within its `superviseIntervalSeconds` and `monitorIntervalSeconds`: give both 5.
   */
  readonly boss?: PgBossClient;
  /** Letters, digits, `_`, `-`, `.` and `/`, 200 at most. Default `agent-sdk-runs`. */
  readonly queue?: string;
  /** Of the tables of pg-boss. Default `pgboss`. Only with `connectionString`. */
  readonly schema?: string;
  /** Connections that are opened at most, 1 to 1000. Default 4. Only with `connectionString`. */
  readonly connections?: number;
  /** Sessions that run at a time in this process; default 8. */
  readonly concurrency?: number;
  /** Milliseconds between two looks into an empty queue; default 500. An ask of this process is looked for at once. */
  readonly pollEveryMs?: number;
  /** Milliseconds after a first rejection, doubled with each further one of the same session, with jitter; default 1000. */
  readonly retryDelay?: number;
  /** The longest delay in milliseconds; default 30000. */
  readonly maxRetryDelay?: number;
  /**
   * Called with each rejection before the session waits for its next turn. With an empty id: with the first of a row of errors of the queue
   * while it is served; without it that is a warning of the process. An error that it throws is uncaught.
   */
  readonly onError?: (error: unknown, sessionId: string) => void;
}

const OPTIONS: OptionRules<PgBossEngineOptions> = {
  ...ENGINE_OPTIONS,
  connectionString: is.secret(is.filledText),
  boss: is.having('a PgBoss of pg-boss', 'createQueue', 'getQueue', 'send', 'fetch', 'complete', 'touch'),
  queue: is.rule(
    'the name of a queue: 1 to 200 letters, digits, _, -, . and /',
    (value) => typeof value === 'string' && /^[\w.\-/]{1,200}$/.test(value),
  ),
  schema: is.filledText,
  connections: is.count(1, 1000),
  pollEveryMs: is.count(1, 60_000),
};

/** Milliseconds between two signs of life: three of them in the time after which a job is given to another worker. */
const KEEP_EVERY_MS = 3_000;

/**
 * Creates an engine on pg-boss 12, a queue in Postgres, for any number of processes and machines. One job is one whole run, at least once:
 * that of a worker that was killed comes back after 15 seconds at most, and the log says what is left to do. One job of a session waits at most,
 * and one runs. While the server is away `submit` and `serve` throw an AgentError `ENGINE_FAILED`, and whoever serves looks again. Closed
 * by the caller, before the `PgBoss` that it was given. @throws ValidationError
 */
export function pgBossEngine(options: PgBossEngineOptions): RunEngine {
  checkOptions('The options', options, OPTIONS);
  const { queue = 'agent-sdk-runs', pollEveryMs = 500, ...rest } = options;
  const start = starting(options);
  const open = async () => await pgBossQueue(await start(), queue);
  return new QueueEngine({ ...rest, open, pollEveryMs, keepEveryMs: KEEP_EVERY_MS });
}

/** Starts the client that the options name. @throws ValidationError when they do not go together */
function starting({ connectionString, boss, schema, connections }: PgBossEngineOptions): () => Promise<StartedBoss> {
  if ((connectionString === undefined) === (boss === undefined))
    throw new ValidationError('Give exactly one of connectionString and boss', 'connectionString');
  if (schema !== undefined && boss) throw new ValidationError('schema goes with connectionString', 'schema');
  if (connections !== undefined && boss)
    throw new ValidationError('connections goes with connectionString', 'connections');
  if (boss) return async () => ({ boss, close: async () => undefined });
  return async () => {
    try {
      return await startBoss({
        connectionString: connectionString ?? '',
        schema: schema ?? 'pgboss',
        max: connections ?? 4,
      });
    } catch (cause) {
      throw engineError(cause);
    }
  };
}
