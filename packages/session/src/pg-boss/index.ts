export type { PgBossAttempt, PgBossClient, PgBossJob } from './pg-boss-client.ts';
export { type PgBossEngineOptions, pgBossEngine } from './pg-boss-engine.ts';
