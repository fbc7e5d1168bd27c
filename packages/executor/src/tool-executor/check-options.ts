import type { OptionRule, OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { MAX_OUTPUT_BYTES } from '../truncate-output.ts';
import type { ExecutionLimits, ExecutionOptions, RateLimit, ToolExecutorOptions } from './execution-options.ts';

/** The limits with every default filled in. */
export type FullLimits = Required<Omit<ExecutionLimits, 'onLateSettlement'>>;

const LIMITS: OptionRules<ExecutionLimits> = {
  timeout: is.milliseconds,
  retry: is.countOrInfinity(0),
  retryDelay: is.finiteMilliseconds(),
  backoff: is.oneOf('exponential', 'linear', 'constant'),
  jitter: is.oneOf('full', 'none'),
  maxDelay: is.milliseconds,
  maxOutputBytes: is.rule('a number from 1', (value) => typeof value === 'number' && value >= 1),
  onLateSettlement: is.callback,
};
export const EXECUTION: OptionRules<ExecutionOptions> = {
  ...LIMITS,
  signal: is.abortSignal,
  effect: is.oneOf('pure', 'idempotent', 'non_idempotent'),
  idempotencyKey: is.filledText,
  tool: is.filledText,
  caller: is.filledText,
};
/** Concurrent attempts. */
export const PLACES: OptionRule = is.count();
/** Attempts per time. */
export const RATE: OptionRule = is.nested<RateLimit>(
  {
    limit: is.required(is.count()),
    window: is.required(
      is.rule('a number of milliseconds above 0', (value) => Number.isFinite(value) && (value as number) > 0), // safe: it is a number
    ),
  },
  '{ limit, window }',
);
export const EXECUTOR: OptionRules<ToolExecutorOptions> = {
  ...LIMITS,
  concurrency: perName(PLACES),
  rateLimit: perName(RATE),
  maxQueue: is.count(0),
  maxWait: is.milliseconds,
  logger: is.anything, // `quietly` checks it
  workspace: is.having('a Workspace', 'readFile'),
};

/** Merges limits; the last given ones count. */
export function fullLimits(given: ExecutionLimits, own: ExecutionLimits = given): FullLimits {
  const backoff = own.backoff ?? given.backoff ?? 'exponential';
  return {
    timeout: own.timeout ?? given.timeout ?? 30_000,
    retry: own.retry ?? given.retry ?? 0,
    retryDelay: own.retryDelay ?? given.retryDelay ?? 1_000,
    backoff,
    jitter: own.jitter ?? given.jitter ?? (backoff === 'constant' ? 'none' : 'full'),
    maxDelay: own.maxDelay ?? given.maxDelay ?? 30_000,
    maxOutputBytes: own.maxOutputBytes ?? given.maxOutputBytes ?? MAX_OUTPUT_BYTES,
  };
}

/** One limit for all names, or a function that returns the limit of a name: `Admission` checks its results. */
function perName(limit: OptionRule): OptionRule {
  const one = is.either(limit, is.callback);
  return is.nested<NonNullable<ToolExecutorOptions['concurrency']>>(
    { perTool: one, perCaller: one },
    '{ perTool, perCaller }',
  );
}
