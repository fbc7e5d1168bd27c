import { AbortError, isRetryable, sleep } from '@x/core';
import { truncateOutput } from '../truncate-output.ts';
import type { Admission, Applicant } from './admission.ts';
import { tryOnce } from './attempt.ts';
import type { FullLimits } from './check-options.ts';
import type { Work } from './executable.ts';
import type { ExecutionLog } from './execution-log.ts';
import type { LateSettlement } from './late-settlement.ts';
import { retryDelayMs } from './retry-delay.ts';

/** One execution with all options resolved. */
export interface Execution {
  readonly work: Work;
  readonly limits: FullLimits;
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  readonly idempotencyKey: string;
  readonly applicant: Applicant;
  /** Absent without limits. */
  readonly admission: Admission | undefined;
  readonly log: ExecutionLog | undefined;
  readonly onLate: ((settlement: LateSettlement) => void) | undefined;
}

/** Retries until the work succeeds, its failure is final or its retries are used up. */
export async function persevere(execution: Execution): Promise<unknown> {
  const { work, limits, idempotencyKey, log, onLate } = execution;
  const { signal } = execution.applicant;
  let attempt = 0;
  let failure: unknown;
  try {
    for (;;) {
      if (signal?.aborted) throw new AbortError();
      const onEnd =
        execution.admission && (await admitted(execution.admission, execution.applicant, { attempt, failure }));
      attempt++;
      log?.attempt(attempt);
      try {
        const { timeout } = limits;
        const value = await tryOnce(work, { attempt, idempotencyKey, timeout, signal, onEnd, onLate, log });
        return typeof value === 'string' ? truncateOutput(value, limits.maxOutputBytes) : value;
      } catch (error) {
        failure = error;
      }
      const isFinal = attempt > execution.retries || !isRetryable(failure);
      const delayMs = isFinal ? undefined : retryDelayMs(attempt, failure, limits);
      if (delayMs === undefined) throw failure;
      log?.retry(attempt, failure, delayMs);
      await sleep(delayMs, signal);
    }
  } catch (error) {
    log?.failed(attempt, error);
    throw error;
  }
}

/** Admits an attempt; work that was run already and is refused now fails with its own error. */
async function admitted(
  admission: Admission,
  applicant: Applicant,
  { attempt, failure }: { readonly attempt: number; readonly failure: unknown },
): Promise<() => void> {
  try {
    return await admission.enter(applicant);
  } catch (error) {
    throw attempt === 0 || applicant.signal?.aborted ? error : failure;
  }
}
