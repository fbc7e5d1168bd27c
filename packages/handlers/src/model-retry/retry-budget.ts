import type { RunContext } from '@x/core';
import { rootRun } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';

/** The time that one run may lose to retries: its waits and its repeated attempts that failed. Subagents draw on the same time. */
export interface RetryBudget {
  /** Milliseconds that are left for the run; never below 0. */
  remainingMs(run: RunContext): number;
  /** Takes milliseconds out. */
  spend(run: RunContext, ms: number): void;
}

const TOTAL_MS = 120_000;

/**
 * A budget of `totalMs` milliseconds (default 120000) for each run. One object is shared by all who retry: models and tools. Time in
 * which work succeeds does not count, so that a failure late in a long run is retried as well.
 */
export function retryBudget(totalMs: number = TOTAL_MS): RetryBudget {
  checkValue('retryBudgetMs', totalMs, is.finiteMilliseconds());
  const spent = new WeakMap<RunContext, number>();
  return {
    remainingMs: (run) => Math.max(0, totalMs - (spent.get(rootRun(run)) ?? 0)),
    spend(run, ms) {
      const root = rootRun(run);
      spent.set(root, (spent.get(root) ?? 0) + ms);
    },
  };
}
