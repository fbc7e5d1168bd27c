import { bullmqEngine } from '../../src/bullmq/index.ts';
import { type LocalEngineOptions, localEngine, type RunEngine } from '../../src/index.ts';
import { pgBossEngine } from '../../src/pg-boss/index.ts';

/** Milliseconds: a job of a worker that was killed comes back soon. */
const LOCKED_MS = 2_000;
const LOOKED_FOR_MS = 500;

/** An engine, and the queue that it takes. */
export interface EngineAtOptions extends LocalEngineOptions {
  readonly queue?: string;
}

/** The engine on the queue behind the URL of a Postgres database, or the socket of a Redis; one in this process without a URL. */
export function engineAt(url: string | undefined, options: EngineAtOptions = {}): RunEngine {
  if (url === undefined) return localEngine(options);
  const shared = { pollEveryMs: 50, ...options };
  if (url.startsWith('postgres:')) return pgBossEngine({ connectionString: url, connections: 3, ...shared });
  return bullmqEngine({ connection: url, lockDuration: LOCKED_MS, stalledInterval: LOOKED_FOR_MS, ...shared });
}
