export type { PostgresClient } from './pglite-database.ts';
export type { PostgresPool, PostgresPoolClient } from './pool-connections.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
