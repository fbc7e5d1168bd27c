import { loadPeer } from '../engine/queue-error.ts';

/** One attempt of a job, which a later one cannot be mistaken for. */
export interface PgBossAttempt {
  readonly id: string;
  readonly retryCount: number;
}
/** A job that was fetched, as far as the engine reads it. `data` is that of whoever sent it. */
export interface PgBossJob extends PgBossAttempt {
  readonly data: unknown;
}

/** The part of a `PgBoss` of `pg-boss` that the engine uses. */
export interface PgBossClient {
  createQueue(name: string, options: object): Promise<unknown>;
  getQueue(name: string): Promise<{ readonly policy?: string; readonly heartbeatSeconds?: number | null } | null>;
  send(name: string, data: object, options: { singletonKey: string; startAfter: number }): Promise<unknown>;
  fetch(name: string, options: { batchSize: number }): Promise<PgBossJob[]>;
  complete(name: string, jobs: PgBossAttempt[]): Promise<unknown>;
  touch(name: string, jobs: PgBossAttempt[]): Promise<unknown>;
}

/** A client, and the end of it: of one that the host has given, nothing. */
export interface StartedBoss {
  readonly boss: PgBossClient;
  close(): Promise<void>;
}

/** Of a client that the engine makes. */
export interface OwnPgBoss {
  readonly connectionString: string;
  readonly schema: string;
  /** Connections at most. */
  readonly max: number;
}

/** Milliseconds to wait for a connection, as a session store does. */
const CONNECT_MS = 5_000;
/** Milliseconds after which a statement counts as lost with its connection: its jobs come back before a lease has ended. */
const ANSWER_MS = 15_000;
/** Seconds between two looks for jobs whose worker has died: with those of a heartbeat, less than a lease. */
const SUPERVISE_SECONDS = 5;

/** Makes and starts a client of `pg-boss`, an optional peer. @throws AgentError `ENGINE_FAILED` when it is not installed; errors of pg-boss */
export async function startBoss(own: OwnPgBoss): Promise<StartedBoss> {
  const { PgBoss: MadeBoss } = await loadPeer(() => import('pg-boss'), 'pg-boss', 'pg-boss');
  const pool = { query_timeout: ANSWER_MS, keepAlive: true }; // the options go to a Pool of pg as they are
  const boss = new MadeBoss({
    ...pool,
    ...own,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'agent-sdk',
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', ignore);
  const close = () => boss.stop({ graceful: false });
  try {
    await boss.start();
  } catch (error) {
    await close().catch(ignore);
    throw error;
  }
  return { boss, close };
}

/** Failures of its maintenance show again as those of the engine's own calls. */
function ignore(): void {}
