import { isContextOverflow, isRetryable, type ModelStream, type RunContext, retryAfterMs, sleep } from '@x/core';
import { backoffMs, failureFacts, markRetried, messageOf, present, wasRetried } from '@x/core/internal';
import { beforeFirstDelta } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { type RetryBudget, retryBudget } from './retry-budget.ts';

/** Limits of the repetition of a model call. */
export interface ModelRetryOptions {
  /** Including the first; default 3. */
  readonly maxAttempts?: number;
  /** Milliseconds: the longest first wait, doubled each time; default 500. */
  readonly baseMs?: number;
  /** Milliseconds: the longest wait, unless the service asks for more; default 30000. */
  readonly maxMs?: number;
  /** Default: an own budget of 120 seconds for each run. */
  readonly budget?: RetryBudget;
}
const OPTIONS: OptionRules<ModelRetryOptions> = {
  maxAttempts: is.count(),
  baseMs: is.finiteMilliseconds(),
  maxMs: is.finiteMilliseconds(),
  budget: is.having('a budget that retryBudget() made', 'spend', 'remainingMs'),
};
export type RetryRules = Required<ModelRetryOptions>;

/** @throws ValidationError */
export function retryRules(what: string, options: ModelRetryOptions): RetryRules {
  checkOptions(`${what} options`, options, OPTIONS);
  const { maxAttempts = 3, baseMs = 500, maxMs = 30_000, budget = retryBudget() } = options;
  return { maxAttempts, baseMs, maxMs, budget };
}

export interface RetriedCall {
  /** Makes the call once. */
  readonly start: () => ModelStream;
  readonly run: RunContext;
  /** Aborts a wait. */
  readonly signal: AbortSignal;
  readonly rules: RetryRules;
}

/**
 * The call, repeated while it fails before its first delta and may succeed later. Emits a `model_retry` notification for each repetition;
 * the final error is marked, so that no retry around it starts again.
 */
export function retryModelCall(call: RetriedCall): ModelStream {
  return attempt(1, call);
}

function attempt(number: number, call: RetriedCall): ModelStream {
  const startedAt = performance.now();
  return beforeFirstDelta(call.start, (error) => {
    // The first attempt is no retry, so its time does not count.
    if (number > 1) call.rules.budget.spend(call.run, performance.now() - startedAt);
    return again(number, error, call);
  });
}

async function* again(number: number, error: unknown, call: RetriedCall): ModelStream {
  const { run, signal, rules } = call;
  if (signal.aborted || !mayTryAgain(error) || wasRetried(error)) throw error;
  const waitMs = number < rules.maxAttempts ? waitAfter(number, error, call) : undefined;
  if (waitMs === undefined) {
    markRetried(error);
    throw error;
  }
  const { code, status } = failureFacts(error);
  const next = { attempt: number + 1, maxAttempts: rules.maxAttempts, waitMs: Math.round(waitMs) };
  const when = `attempt ${next.attempt} of ${next.maxAttempts} in ${next.waitMs} ms`;
  yield {
    type: 'notification',
    kind: 'model_retry',
    message: `The model call failed, ${when}: ${messageOf(error)}`,
    data: { ...next, ...present({ code, status }) },
  };
  rules.budget.spend(run, waitMs); // before the wait, so that calls side by side do not spend it twice
  await sleep(waitMs, signal);
  return yield* attempt(number + 1, call);
}

/**
 * Milliseconds; undefined when the budget does not suffice. A wait that the service asks for is never shortened: an earlier request would
 * fail.
 */
function waitAfter(number: number, error: unknown, { run, rules }: RetriedCall): number | undefined {
  const leftMs = rules.budget.remainingMs(run);
  const askedMs = retryAfterMs(error) ?? 0;
  if (leftMs === 0 || askedMs > leftMs) return undefined;
  return Math.max(askedMs, Math.min(leftMs, backoffMs(number, rules)));
}

/** A request that is wrong, or not allowed, stays so, whatever advice the service gave with it. */
const FINAL_STATUSES: readonly unknown[] = [400, 401, 403];

/** True when the same model call may succeed later. A history that is too long never fits by waiting. */
export function mayTryAgain(error: unknown): boolean {
  if (!isRetryable(error) || isContextOverflow(error)) return false;
  // safe: both are only compared, and isRetryable accepts objects only
  const { statusCode, status } = error as { readonly statusCode?: unknown; readonly status?: unknown };
  return !FINAL_STATUSES.includes(statusCode ?? status);
}
