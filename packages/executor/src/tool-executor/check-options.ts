import {
  abortSignal,
  anything,
  callback,
  count,
  countOrInfinity,
  filledText,
  finiteMilliseconds,
  having,
  milliseconds,
  nested,
  type OptionRule,
  type OptionRules,
  oneOf,
  required,
  rule,
} from '@x/core/option-rules';
import { MAX_OUTPUT_BYTES } from '../truncate-output.ts';
import type { ExecutionLimits, ExecutionOptions, RateLimit, ToolExecutorOptions } from './execution-options.ts';

/** The limits with every default filled in. */
export type FullLimits = Required<Omit<ExecutionLimits, 'onLateSettlement'>>;

const LIMITS: OptionRules<ExecutionLimits> = {
  timeout: milliseconds,
  retry: countOrInfinity(0),
  retryDelay: finiteMilliseconds(),
  backoff: oneOf('exponential', 'linear', 'constant'),
  jitter: oneOf('full', 'none'),
  maxDelay: milliseconds,
  maxOutputBytes: rule('a number from 1', (value) => typeof value === 'number' && value >= 1),
  onLateSettlement: callback,
};
export const EXECUTION: OptionRules<ExecutionOptions> = {
  ...LIMITS,
  signal: abortSignal,
  effect: oneOf('pure', 'idempotent', 'non_idempotent'),
  idempotencyKey: filledText,
  tool: filledText,
  caller: filledText,
};
/** Attempts at the same time. */
export const PLACES: OptionRule = count();
/** Attempts in a time. */
export const RATE: OptionRule = nested<RateLimit>(
  {
    limit: required(count()),
    window: required(
      rule('a number of milliseconds above 0', (value) => Number.isFinite(value) && (value as number) > 0), // safe: it is a number
    ),
  },
  '{ limit, window }',
);
export const EXECUTOR: OptionRules<ToolExecutorOptions> = {
  ...LIMITS,
  concurrency: perName(PLACES),
  rateLimit: perName(RATE),
  maxQueue: count(0),
  maxWait: milliseconds,
  logger: anything, // `quietly` checks it
  workspace: having('a Workspace', 'readFile'),
};

/** Of those that are given, the last one counts. */
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

/** One limit for each name, or a function that gives the limit of a name: `Admission` checks what that returns. */
function perName(limit: OptionRule): OptionRule {
  const one = rule(
    `${limit.duty}, or a function`,
    (value) => typeof value === 'function' || limit.fits(value),
    (value, path) => void (typeof value === 'function' || limit.inside?.(value, path)),
  );
  return nested<NonNullable<ToolExecutorOptions['concurrency']>>(
    { perTool: one, perCaller: one },
    '{ perTool, perCaller }',
  );
}
