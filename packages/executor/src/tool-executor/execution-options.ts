import type { Logger, ToolEffect, Workspace } from '@x/core';
import type { LateSettlement } from './late-settlement.ts';

/** How the wait before another attempt grows. */
export type BackoffKind = 'exponential' | 'linear' | 'constant';

/** How long work may take and how often it is tried; all times are in milliseconds. */
export interface ExecutionLimits {
  /** Of each attempt; `Infinity` for none. Default 30000. */
  readonly timeout?: number;
  /** Attempts after the first; never for `non_idempotent` tools. Default 0. */
  readonly retry?: number;
  /** The base of the wait before another attempt. Default 1000. */
  readonly retryDelay?: number;
  /** `retryDelay` doubled each time, times the number of the attempt, or as it is. Default `exponential`. */
  readonly backoff?: BackoffKind;
  /** `full`: a random part of the wait. Default `full`; of `constant` `none`. */
  readonly jitter?: 'full' | 'none';
  /** No wait between attempts is longer; a service that asks for more ends the execution with its error. Default 30000. */
  readonly maxDelay?: number;
  /** A longer text is cut, in UTF-8 bytes; `Infinity` for none. Default 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Told what an attempt that was given up did in the end. */
  readonly onLateSettlement?: (settlement: LateSettlement) => void;
}

/** How one execution is to go. */
export interface ExecutionOptions extends ExecutionLimits {
  /** Ends the execution with `AbortError`, also while it waits. */
  readonly signal?: AbortSignal;
  /** What repeating does. Default: what the tool says; a bare function is taken to bear the retries it is given. */
  readonly effect?: ToolEffect;
  /** The same for all attempts. Default: a fresh one. */
  readonly idempotencyKey?: string;
  /** Whose limits count, and the name in log and reports. Default: the name of a tool; a bare function is a tool of its own. */
  readonly tool?: string;
  /** Whose limits count. Those who do not say share them. */
  readonly caller?: string;
}

/** So many attempts may begin in each window of time. */
export interface RateLimit {
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
}

/** One limit for each, or what it is for a name; undefined is none. */
export type LimitPer<Limit> = Limit | ((name: string | undefined) => Limit | undefined);

/** What holds for every execution of a `ToolExecutor`; the limits are defaults. */
export interface ToolExecutorOptions extends ExecutionLimits {
  /** Attempts at the same time. One that was given up counts until its work has ended. Default: no limit. */
  readonly concurrency?: { readonly perTool?: LimitPer<number>; readonly perCaller?: LimitPer<number> };
  /** Attempts in a time, counted in a sliding window when they are let through. Default: no limit. */
  readonly rateLimit?: { readonly perTool?: LimitPer<RateLimit>; readonly perCaller?: LimitPer<RateLimit> };
  /** Attempts that may wait at one limit; one more is refused with `RateLimitError`. Default 1000. */
  readonly maxQueue?: number;
  /** How long one may wait at one limit, in milliseconds, before it is refused. Default 30000. */
  readonly maxWait?: number;
  /** Told of attempts, retries, time-outs and failures. Default: says nothing. */
  readonly logger?: Logger;
  /** Where a `Tool` does its work; without one every door refuses. */
  readonly workspace?: Workspace;
}
