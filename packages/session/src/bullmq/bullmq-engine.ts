import { ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { ENGINE_OPTIONS } from '../engine/local-engine.ts';
import { QueueEngine } from '../engine/queue-engine.ts';
import type { RunEngine } from '../engine/run-engine.ts';
import { bullmqQueue } from './bullmq-queue.ts';
import { isRedis } from './redis-connection.ts';

/** Where the queue is, and how it is served. */
export interface BullmqEngineOptions {
  /**
   * The URL of a Redis, such as `redis://user:password@host:6379/0`, or options of `Redis` of `ioredis`: a connection is made on first use, and
   * closed with the engine. Or a `Redis` or `Cluster` of `ioredis` that the host listens to (`redis.on('error', ...)`) and closes after the engine; give it
   * `socketTimeout`, without which it stays for ever on a connection that the network has forgotten.
   */
  readonly connection: string | object;
  /** Letters, digits, `_`, `-`, `.` and `/`, 200 at most. Default `agent-sdk-runs`. */
  readonly queue?: string;
  /** Of the keys of BullMQ; default `bull`. In a cluster, with braces around a part of it: `{bull}`. */
  readonly prefix?: string;
  /**
   * Milliseconds without a sign of life after which the job of a worker may go to another, 1000 to 3600000; default 10000. A command without
   * an answer for as long has failed.
   */
  readonly lockDuration?: number;
  /** Milliseconds between two looks for such jobs, over all workers, from 100 to `lockDuration`; default 5000. */
  readonly stalledInterval?: number;
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

const OPTIONS: OptionRules<BullmqEngineOptions> = {
  ...ENGINE_OPTIONS,
  connection: is.required(
    is.secret(is.rule('the URL of a Redis, options of ioredis, or a Redis or Cluster of ioredis', isConnection)),
  ),
  queue: is.rule(
    'the name of a queue: 1 to 200 letters, digits, _, -, . and /',
    (value) => typeof value === 'string' && /^[\w.\-/]{1,200}$/.test(value),
  ),
  prefix: is.filledText,
  lockDuration: is.count(1_000, 3_600_000),
  stalledInterval: is.count(100, 3_600_000),
  pollEveryMs: is.count(1, 60_000),
};

/**
 * Creates an engine on BullMQ 6, a queue in Redis, for any number of processes and machines. One job is one whole run, at least once: that of
 * a worker that was killed comes back after `lockDuration` and `stalledInterval` at most, and the log says what is left to do. One job of a session waits at
 * most, and one runs. While the server is away `submit` and `serve` throw an AgentError `ENGINE_FAILED`, and whoever serves looks again. Closed
 * by the caller, before the `Redis` that it was given. @throws ValidationError
 */
export function bullmqEngine(options: BullmqEngineOptions): RunEngine {
  checkOptions('The options', options, OPTIONS);
  const { connection, queue = 'agent-sdk-runs', prefix = 'bull', pollEveryMs = 500, ...more } = options;
  const { lockDuration = 10_000, stalledInterval = 5_000, ...rest } = more;
  if (stalledInterval > lockDuration)
    throw new ValidationError(
      `stalledInterval must be at most lockDuration, which is ${lockDuration}`,
      'stalledInterval',
    );
  const open = () => bullmqQueue({ connection, queue, prefix, lockDuration, stalledInterval });
  // Three signs of life while a lock lasts.
  return new QueueEngine({ ...rest, open, pollEveryMs, keepEveryMs: Math.floor(lockDuration / 3) });
}

function isConnection(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return isRedis(value) || isPlain(value);
}

/** The client of another library would be read as options, all of them unknown. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
