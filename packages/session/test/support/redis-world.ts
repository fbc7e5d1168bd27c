import { Redis } from 'ioredis';
import { type BullmqEngineOptions, bullmqEngine } from '../../src/bullmq/index.ts';
import type { RunEngine } from '../../src/index.ts';
import { hasRedis, RedisServer } from './redis-server.ts';

/** A Redis, a connection of the host to it, and engines with a queue of their own. Closed by the caller. */
export interface RedisWorld extends AsyncDisposable {
  readonly server: RedisServer;
  readonly redis: Redis;
  /** The name of a queue that nobody has used. */
  fresh(): string;
  make(options?: Partial<BullmqEngineOptions>): RunEngine;
}

/** Undefined, for tests that are skipped, where there is no Redis. */
export async function redisWorld(): Promise<RedisWorld | undefined> {
  if (!hasRedis) return undefined;
  const server = await RedisServer.start();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  let queues = 0;
  const fresh = () => `queue-${(queues += 1)}`;
  const defaults = { connection: redis, pollEveryMs: 20, retryDelay: 1, maxRetryDelay: 4 };
  return {
    server,
    redis,
    fresh,
    make: (options) => bullmqEngine({ ...defaults, queue: fresh(), ...options }),
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Work that runs until it is released. */
export function heldWork() {
  const [began, release] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const work = async (sessionId: string) => {
    began.resolve(sessionId);
    await release.promise;
  };
  return { began: began.promise, release: release.resolve, work };
}
