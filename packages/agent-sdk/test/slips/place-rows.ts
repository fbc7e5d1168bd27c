import { memoryStore, sqliteStore } from '@x/session';
import { bullmqEngine } from '@x/session/bullmq';
import { runningSessions } from '@x/session/operations';
import { pgBossEngine } from '@x/session/pg-boss';
import { postgresStore } from '@x/session/postgres';
import type { Row } from './row.ts';
import { Store } from './values.ts';

/** Where sessions and asks are kept. */
export const placeRows: readonly Row[] = [
  {
    name: 'session: sqliteStore',
    act: sqliteStore,
    valid: () => ({ path: '/no/such/file' }),
    keys: ['path'],
    wrong: { path: 7 },
  },
  {
    name: 'session/postgres: postgresStore',
    act: postgresStore,
    valid: () => ({ connectionString: 'postgres://127.0.0.1:9/none' }),
    keys: ['connectionString', 'schema', 'migrate', 'prepared', 'connections', 'liveConnectionString'],
    wrong: {
      connectionString: 7,
      schema: '',
      migrate: 'yes',
      prepared: 1,
      connections: '3',
      liveConnectionString: true,
    },
  },
  {
    name: 'session/operations: runningSessions',
    act: runningSessions,
    valid: () => ({ store: memoryStore() }),
    keys: ['store'],
    wrong: { store: Store },
  },
  {
    name: 'session/pg-boss: pgBossEngine',
    act: pgBossEngine,
    valid: () => ({ connectionString: 'postgres://127.0.0.1:9/none' }),
    keys: [
      'connectionString',
      'queue',
      'schema',
      'connections',
      'concurrency',
      'pollEveryMs',
      'retryDelay',
      'maxRetryDelay',
      'onError',
    ],
    wrong: {
      connectionString: 7,
      queue: 'a b',
      schema: '',
      connections: '3',
      concurrency: 0,
      pollEveryMs: 0,
      retryDelay: '1',
      maxRetryDelay: Number.NaN,
      onError: {},
    },
  },
  {
    name: 'session/bullmq: bullmqEngine',
    act: bullmqEngine,
    valid: () => ({ connection: 'redis://127.0.0.1:9' }),
    keys: [
      'connection',
      'queue',
      'prefix',
      'lockDuration',
      'stalledInterval',
      'concurrency',
      'pollEveryMs',
      'retryDelay',
      'maxRetryDelay',
      'onError',
    ],
    wrong: {
      connection: 7,
      queue: 'a:b',
      prefix: '',
      lockDuration: 5,
      stalledInterval: '5000',
      concurrency: 0,
      pollEveryMs: 0,
      retryDelay: '1',
      maxRetryDelay: Number.NaN,
      onError: {},
    },
  },
];
