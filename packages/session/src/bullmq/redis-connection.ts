import type { Cluster, Redis } from 'ioredis';
import { loadPeer } from '../engine/queue-error.ts';
import { answered } from './answered.ts';
import { redisError } from './redis-error.ts';

/** A connection, and the end of it: of one that the host has given, nothing. */
export interface RedisConnection {
  readonly redis: Redis | Cluster;
  close(): void;
}

/** Milliseconds to wait for a connection, as a session store does. */
const CONNECT_MS = 5_000;

/** True for a `Redis` or `Cluster` of ioredis, which BullMQ knows by the same method. */
export function isRedis(value: unknown): value is Redis | Cluster {
  return typeof (value as { readonly defineCommand?: unknown } | null)?.defineCommand === 'function';
}

/**
 * Connects to a URL or with options of ioredis, an optional peer; or looks whether the connection of the host answers. One of ours that leaves a
 * command without an answer for `silentMs` is given up and made again: a network may have forgotten it. @throws AgentError `ENGINE_FAILED`
 */
export async function connectRedis(connection: string | object, silentMs: number): Promise<RedisConnection> {
  if (isRedis(connection)) {
    await answered(() => connection.ping(), CONNECT_MS);
    return { redis: connection, close: () => undefined };
  }
  const redis = await makeRedis(connection, silentMs);
  const close = () => redis.disconnect();
  let seen: unknown;
  redis.on('error', (error) => (seen = error)); // the rejection says only that the connection is closed
  try {
    await answered(() => redis.connect(), CONNECT_MS);
  } catch (error) {
    close();
    throw seen === undefined ? error : redisError(seen);
  }
  return { redis, close };
}

/** Without a connection yet. A command is tried twice while the server is away, and then fails; the connection is tried for ever. */
async function makeRedis(connection: string | object, socketTimeout: number): Promise<Redis> {
  const { Redis: OwnRedis } = await loadPeer(() => import('ioredis'), 'BullMQ', 'bullmq', 'ioredis');
  const patience = { connectTimeout: CONNECT_MS, socketTimeout, maxRetriesPerRequest: 1 };
  const own = { ...patience, connectionName: 'agent-sdk', lazyConnect: true };
  if (typeof connection === 'string') return new OwnRedis(connection, own);
  return new OwnRedis({ ...own, ...connection, lazyConnect: true });
}
