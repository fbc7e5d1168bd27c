import { randomUUID } from 'node:crypto';
import type { Job, JobJson } from 'bullmq';
import type { Ask, AskQueue } from '../engine/ask-queue.ts';
import { answered } from './answered.ts';
import { type BullmqPlace, openJobs } from './bullmq-jobs.ts';

/** An ask with its job, and the token of the lock on it: another one for each time that the job is taken. */
export interface BullmqAsk extends Ask {
  readonly job: Job;
  readonly token: string;
}

/** Codes of BullMQ for a job that this token does not hold any more: no such job, no lock, not active, the lock of another. */
const GONE: readonly unknown[] = [-1, -2, -3, -6];

/** Opens a queue of asks, one job each. @throws AgentError `ENGINE_FAILED` */
export async function bullmqQueue(place: BullmqPlace): Promise<AskQueue<BullmqAsk>> {
  const { lockDuration } = place;
  const { jobs, backend, jobOf, close } = await openJobs(place);
  // An answer that comes when the locks have expired is of no use.
  const typed = <T>(work: () => Promise<T>) => answered(work, lockDuration);
  return {
    async put({ sessionId, failures }, delayMs) {
      // Of the jobs of a session one waits. While one runs, the last ask is kept, and becomes a job with its end.
      const deduplication = { id: sessionId, keepLastIfActive: true };
      const options = { deduplication, delay: Math.ceil(delayMs), removeOnComplete: true };
      await typed(() => jobs.add('run', { sessionId, failures }, options));
    },
    take: (most) =>
      typed(async () => {
        await backend.moveStalledJobsToWait(); // of all workers, one does it in each interval
        const asks: BullmqAsk[] = [];
        while (asks.length < most) {
          const token = randomUUID();
          const [json, id] = (await backend.moveToActive(token)) as [JobJson | undefined, string]; // as BullMQ's worker reads it
          if (!json) break;
          const job = jobOf(json, id);
          const ask = askOf(job, token);
          if (ask) asks.push(ask);
          else await complete(job, token);
        }
        return asks;
      }),
    done: ({ job, token }) => typed(() => complete(job, token)),
    async keep(taken) {
      const ids = taken.map(({ job }) => String(job.id));
      const tokens = taken.map(({ token }) => token);
      await typed(() => backend.extendLocks(ids, tokens, lockDuration));
    },
    close: () => typed(close),
  };
}

/** Undefined for a job that names no session. */
function askOf(job: Job, token: string): BullmqAsk | undefined {
  const { sessionId, failures } = (job.data ?? {}) as { readonly sessionId?: unknown; readonly failures?: unknown };
  if (typeof sessionId !== 'string') return undefined;
  return { sessionId, failures: Number.isSafeInteger(failures) ? Number(failures) : 0, job, token };
}

/** Removes a job; nothing when it was given to another worker meanwhile. */
async function complete(job: Job, token: string): Promise<void> {
  try {
    await job.moveToCompleted(undefined, token, false);
  } catch (error) {
    if (!GONE.includes((error as { readonly code?: unknown }).code)) throw error;
  }
}
