import { checkKeys, type ToolEffect, ValidationError } from '@x/core';
import { MAX_OUTPUT_BYTES } from '../truncate-output.ts';
import type { ExecutionLimits, ExecutionOptions, ToolExecutorOptions } from './execution-options.ts';

/** The limits with every default filled in. */
export type FullLimits = Required<Omit<ExecutionLimits, 'onLateSettlement'>>;

const DEFAULTS = {
  timeout: 30_000,
  retry: 0,
  retryDelay: 1_000,
  backoff: 'exponential',
  maxDelay: 30_000,
  maxOutputBytes: MAX_OUTPUT_BYTES,
} as const;
const LIMITS: Readonly<Record<keyof ExecutionLimits, true>> = {
  timeout: true,
  retry: true,
  retryDelay: true,
  backoff: true,
  jitter: true,
  maxDelay: true,
  maxOutputBytes: true,
  onLateSettlement: true,
};
const OPTIONS: Readonly<Record<keyof ExecutionOptions, true>> = {
  ...LIMITS,
  signal: true,
  effect: true,
  idempotencyKey: true,
  tool: true,
  caller: true,
};
const EXECUTOR: Readonly<Record<keyof ToolExecutorOptions, true>> = {
  ...LIMITS,
  concurrency: true,
  rateLimit: true,
  maxQueue: true,
  maxWait: true,
  logger: true,
  workspace: true,
};
const EFFECTS: readonly ToolEffect[] = ['pure', 'idempotent', 'non_idempotent'];
const WORDS = {
  backoff: ['exponential', 'linear', 'constant'],
  jitter: ['full', 'none'],
  effect: EFFECTS,
} as const;
const TEXTS = ['idempotencyKey', 'tool', 'caller'] as const;

/** Of those that are given, the last one counts. */
export function fullLimits(given: ExecutionLimits, own: ExecutionLimits = given): FullLimits {
  const backoff = own.backoff ?? given.backoff ?? DEFAULTS.backoff;
  return {
    timeout: own.timeout ?? given.timeout ?? DEFAULTS.timeout,
    retry: own.retry ?? given.retry ?? DEFAULTS.retry,
    retryDelay: own.retryDelay ?? given.retryDelay ?? DEFAULTS.retryDelay,
    backoff,
    jitter: own.jitter ?? given.jitter ?? (backoff === 'constant' ? 'none' : 'full'),
    maxDelay: own.maxDelay ?? given.maxDelay ?? DEFAULTS.maxDelay,
    maxOutputBytes: own.maxOutputBytes ?? given.maxOutputBytes ?? DEFAULTS.maxOutputBytes,
  };
}

/** @throws ValidationError naming the option of an executor that is not known or does not fit; `Admission` checks what it limits */
export function checkExecutor(options: ToolExecutorOptions): void {
  checkKeys('ToolExecutor options', options, Object.keys(EXECUTOR));
  checkLimits(options);
  const { workspace } = options;
  if (workspace !== undefined && typeof workspace?.readFile !== 'function')
    throw unfit('workspace', workspace, 'a Workspace');
}

/** @throws ValidationError naming the option that is not known or does not fit, and the nearest known one */
export function checkExecution(options: ExecutionOptions): void {
  checkKeys('Execution options', options, Object.keys(OPTIONS));
  checkLimits(options);
  const { signal } = options;
  if (options.effect !== undefined) checkWord('effect', options.effect);
  for (const key of TEXTS) {
    const value: unknown = options[key];
    if (value !== undefined && (typeof value !== 'string' || value === '')) throw unfit(key, value, 'a text');
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw unfit('signal', signal, 'an AbortSignal');
  }
}

/** @throws ValidationError naming the limit that does not fit */
function checkLimits(limits: ExecutionLimits): void {
  const { timeout, retry, retryDelay, maxDelay, maxOutputBytes, onLateSettlement } = limits;
  if (timeout !== undefined) checkTime('timeout', timeout);
  if (retry !== undefined && !isCount(retry)) throw unfit('retry', retry, 'a whole number from 0, or Infinity');
  if (retryDelay !== undefined && !(Number.isFinite(retryDelay) && retryDelay >= 0)) {
    throw unfit('retryDelay', retryDelay, 'a number of milliseconds from 0');
  }
  if (maxDelay !== undefined) checkTime('maxDelay', maxDelay);
  if (maxOutputBytes !== undefined && !(typeof maxOutputBytes === 'number' && maxOutputBytes >= 1)) {
    throw unfit('maxOutputBytes', maxOutputBytes, 'a number from 1');
  }
  if (limits.backoff !== undefined) checkWord('backoff', limits.backoff);
  if (limits.jitter !== undefined) checkWord('jitter', limits.jitter);
  if (onLateSettlement !== undefined && typeof onLateSettlement !== 'function') {
    throw unfit('onLateSettlement', onLateSettlement, 'a function');
  }
}

/** @throws ValidationError */
export function checkTime(key: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0)) throw unfit(key, value, 'a number of milliseconds from 0');
}

/** The error of an option with a wrong value. */
export function unfit(key: string, value: unknown, duty: string): ValidationError {
  return new ValidationError(`${key} must be ${duty}, not ${shown(value)}`, key);
}

function isCount(value: number): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && value >= 0);
}

function checkWord(key: keyof typeof WORDS, value: unknown): void {
  const words: readonly unknown[] = WORDS[key];
  if (!words.includes(value)) throw unfit(key, value, `one of ${words.join(', ')}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' ? String(value) : typeof value;
}
