import type { Job, JobJson, Queue, RedisQueueBackend } from 'bullmq';
import { loadPeer } from '../engine/queue-error.ts';
import { answered } from './answered.ts';
import { connectRedis } from './redis-connection.ts';
import { redisError } from './redis-error.ts';

/** Where the jobs are, and when one of a worker that has died goes to another. */
export interface BullmqPlace {
  /** A URL, options of ioredis, or a `Redis` of the host. */
  readonly connection: string | object;
  readonly queue: string;
  /** Of the keys. */
  readonly prefix: string;
  /** Milliseconds. */
  readonly lockDuration: number;
  /** Milliseconds. */
  readonly stalledInterval: number;
}

/** A queue of BullMQ for putting and for taking, over one connection. */
export interface BullmqJobs {
  readonly jobs: Queue;
  readonly backend: RedisQueueBackend;
  /** A job as it was taken. */
  jobOf(json: JobJson, id: string): Job;
  close(): Promise<void>;
}

const SETTINGS = {
  streams: { events: { maxLen: 1_000 } }, // about; for listeners of the host
  maxStalledCount: Number.MAX_SAFE_INTEGER, // of workers that have died
  removeOnComplete: { count: 0 }, // of another program's jobs too
};

/** Opens a queue of `bullmq`, an optional peer. @throws AgentError `ENGINE_FAILED` */
export async function openJobs({ connection, queue, ...place }: BullmqPlace): Promise<BullmqJobs> {
  const { Queue: MadeQueue, Job: MadeJob, createRedisBackend } = await loadBullmq();
  const { redis, close: disconnect } = await connectRedis(connection, place.lockDuration);
  let made: Queue | undefined;
  const close = async () => {
    await made?.close();
    disconnect();
  };
  try {
    // The backend reads there what a worker would be given.
    const jobs = (made = new MadeQueue(queue, { connection: redis, ...SETTINGS, ...place }, createRedisBackend));
    jobs.on('error', ignore);
    await answered(() => jobs.waitUntilReady(), place.lockDuration);
    return { jobs, backend: jobs.getBackend(), jobOf: (json, id) => MadeJob.fromJSON(jobs, json, id), close };
  } catch (error) {
    await close();
    throw redisError(error);
  }
}

const loadBullmq = () => loadPeer(() => import('bullmq'), 'BullMQ', 'bullmq', 'ioredis');

/** Failures of the connection show again as those of the engine's own calls. */
function ignore(): void {}
