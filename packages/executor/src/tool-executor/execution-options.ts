import type { Logger, ToolEffect, Workspace } from '@x/core';
import type { LateSettlement } from './late-settlement.ts';

/** Growth of the wait before another attempt. */
export type BackoffKind = 'exponential' | 'linear' | 'constant';

/** Limits of work: its duration and its attempts; all times are in milliseconds. */
export interface ExecutionLimits {
  /** Time limit of each attempt; `Infinity` for none. Default 30000. */
  readonly timeout?: number;
  /** Attempts after the first; never for `non_idempotent` tools. Default 0. */
  readonly retry?: number;
  /** The base of the wait before another attempt. Default 1000. */
  readonly retryDelay?: number;
  /** `retryDelay` doubled each time, times the number of the attempt, or unchanged. Default `exponential`. */
  readonly backoff?: BackoffKind;
  /** `full`: a random part of the wait. Default `full`; `none` for `constant`. */
  readonly jitter?: 'full' | 'none';
  /** The longest wait between attempts; a service that asks for more ends the execution with its error. Default 30000. */
  readonly maxDelay?: number;
  /** A longer text is truncated, in UTF-8 bytes; `Infinity` for no limit. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Called with the late outcome of an attempt that was given up. */
  readonly onLateSettlement?: (settlement: LateSettlement) => void;
}

/** Options of one execution. */
export interface ExecutionOptions extends ExecutionLimits {
  /** Ends the execution with `AbortError`, also while it waits. */
  readonly signal?: AbortSignal;
  /** The effect of a repetition. Default: that of the tool; a bare function may be repeated as often as `retry` says. */
  readonly effect?: ToolEffect;
  /** The same for all attempts. Default: a fresh one. */
  readonly idempotencyKey?: string;
  /** The name for limits, log and reports. Default: the name of a tool; a bare function counts as its own tool. */
  readonly tool?: string;
  /** The caller for limits. Executions without one share them. */
  readonly caller?: string;
}

/** Number of attempts that may begin in each window of time. */
export interface RateLimit {
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
}

/** One limit for every name, or a function of the name; undefined means no limit. */
export type LimitPer<Limit> = Limit | ((name: string | undefined) => Limit | undefined);

/** Options of every execution of a `ToolExecutor`; the limits are defaults. */
export interface ToolExecutorOptions extends ExecutionLimits {
  /** Concurrent attempts. One that was given up counts until its work has ended. Default: no limit. */
  readonly concurrency?: { readonly perTool?: LimitPer<number>; readonly perCaller?: LimitPer<number> };
  /** Attempts per time, counted in a sliding window when they are admitted. Default: no limit. */
  readonly rateLimit?: { readonly perTool?: LimitPer<RateLimit>; readonly perCaller?: LimitPer<RateLimit> };
  /** Attempts that may wait at one limit; one more is refused with `RateLimitError`. Default 1000. */
  readonly maxQueue?: number;
  /** Milliseconds that an attempt may wait at one limit before it is refused. Default 30000. */
  readonly maxWait?: number;
  /** Logs attempts, retries, timeouts and failures. Default: silent. */
  readonly logger?: Logger;
  /** The workspace of a `Tool`; without one every access is refused. */
  readonly workspace?: Workspace;
}
