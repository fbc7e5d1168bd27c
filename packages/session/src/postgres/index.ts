export type { PostgresPool, PostgresPoolClient } from './pg-database.ts';
export type { PostgresClient } from './pglite-database.ts';
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
