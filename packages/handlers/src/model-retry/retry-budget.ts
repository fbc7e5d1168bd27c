import type { RunContext } from '@x/core';
import { rootRun } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';

/** The time that one run may spend on retries: its waits and its failed repetitions. Subagents share it. */
export interface RetryBudget {
  /** Milliseconds left for the run; never below 0. */
  remainingMs(run: RunContext): number;
  /** Subtracts milliseconds. */
  spend(run: RunContext, ms: number): void;
}

const TOTAL_MS = 120_000;

/**
 * Creates a budget of `totalMs` milliseconds (default 120000) for each run. Share one object between all that retry: models and tools.
 * Successful work does not count, so that a failure late in a long run is retried as well.
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
