import { AgentError } from '@x/core';
import type { Ask, AskQueue } from '../engine/ask-queue.ts';
import type { PgBossAttempt, PgBossClient, PgBossJob, StartedBoss } from './pg-boss-client.ts';
import { engineError } from './pg-boss-error.ts';

/** An ask with its job. */
export interface BossAsk extends Ask {
  readonly job: PgBossAttempt;
}

/** Seconds without a sign of life after which a job goes to another worker: the fewest that pg-boss allows. */
const HEARTBEAT_SECONDS = 10;
/** Of each key one job waits, and one runs. */
const POLICY = 'stately';
const SETTINGS = {
  policy: POLICY,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  expireInSeconds: 86_400, // the most; a run that takes longer is asked for again, and is busy
  retryLimit: 1_000_000, // of workers that have died
  retryDelay: 0,
  deleteAfterSeconds: 3_600,
};

/** Opens a queue of asks, one job each; it is made on first use. Closes the client when that fails. @throws AgentError `ENGINE_FAILED` */
export async function pgBossQueue({ boss, close }: StartedBoss, queue: string): Promise<AskQueue<BossAsk>> {
  try {
    await typed(() => prepare(boss, queue));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async put({ sessionId, failures }, delayMs) {
      const options = { singletonKey: sessionId, startAfter: delayMs / 1000 };
      await typed(() => boss.send(queue, { sessionId, failures }, options));
    },
    take: (most) =>
      typed(async () => {
        const asks: BossAsk[] = [];
        for (const job of await boss.fetch(queue, { batchSize: most })) {
          const ask = askOf(job);
          if (ask) asks.push(ask);
          else await boss.complete(queue, [job]);
        }
        return asks;
      }),
    async done({ job }) {
      await typed(() => boss.complete(queue, [job]));
    },
    async keep(taken) {
      const jobs = taken.map(({ job }) => job);
      await typed(() => boss.touch(queue, jobs));
    },
    close: () => typed(close),
  };
}

async function prepare(boss: PgBossClient, queue: string): Promise<void> {
  await boss.createQueue(queue, SETTINGS); // nothing when it is there
  const found = await boss.getQueue(queue);
  if (found?.policy === POLICY && found.heartbeatSeconds === HEARTBEAT_SECONDS) return;
  throw new AgentError(
    `The queue ${queue} was made by another program: an engine needs the policy ${POLICY} and heartbeatSeconds ${HEARTBEAT_SECONDS}. ` +
      'Give the option queue another name',
    { code: 'ENGINE_FAILED', statusCode: 503 },
  );
}

/** Undefined for a job that names no session. */
function askOf({ id, retryCount, data }: PgBossJob): BossAsk | undefined {
  const { sessionId, failures } = (data ?? {}) as { readonly sessionId?: unknown; readonly failures?: unknown };
  if (typeof sessionId !== 'string') return undefined;
  return { sessionId, failures: Number.isSafeInteger(failures) ? Number(failures) : 0, job: { id, retryCount } };
}

/** @throws AgentError `ENGINE_FAILED` */
async function typed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw engineError(cause);
  }
}
