import { AbortError, isAgentError } from '@x/errors';
import { LONGEST_TIMER_MS } from './bounded.ts';

const RETRYABLE_CODES = new Set(['ECONNRESET', 'ETIMEDOUT', 'ECONNREFUSED', 'EAI_AGAIN', 'EPIPE']);
const RETRYABLE_STATUSES: ReadonlySet<unknown> = new Set([408, 429, 500, 502, 503, 504]);
const NEVER_CODES = new Set(['VALIDATION_ERROR', 'ABORTED', 'TIMEOUT']);
const MAX_CAUSES = 10;
/** Beyond any ceiling, and far from numbers that are infinite. */
const MOST_DOUBLINGS = 60;
const RETRIED = Symbol.for('@x/retried');

/**
 * True when a retry may help, according to the error and its causes (at most 10 deep, cycles tolerated). False for validation errors,
 * aborts and our own timeouts; else a `retryable` property decides, then network codes, and HTTP statuses of foreign errors, their own or
 * that of their `response`. False for an error that cannot be read.
 */
export function isRetryable(error: unknown): boolean {
  try {
    return judge(error);
  } catch {
    return false; // a getter that throws, a revoked proxy
  }
}

function judge(error: unknown): boolean {
  let retryable = false;
  let stamp: boolean | undefined;
  for (const link of causesOf(error)) {
    const facts = link as ErrorFacts;
    if (facts.name === 'AbortError' || (isAgentError(link) && NEVER_CODES.has(link.code))) return false;
    if (typeof facts.retryable === 'boolean') stamp ??= facts.retryable;
    if (isAgentError(link)) retryable ||= link.code === 'RATE_LIMIT_EXCEEDED';
    else retryable ||= isRetryableCode(facts.code) || RETRYABLE_STATUSES.has(statusOf(facts));
  }
  return stamp ?? retryable;
}

/** True when a model refused a request because its messages do not fit its window: `contextOverflow` on the error or a cause. */
export function isContextOverflow(error: unknown): boolean {
  for (const link of causesOf(error)) if ((link as ErrorFacts).contextOverflow === true) return true;
  return false;
}

/** Marks an error as already retried, so that no caller retries the retries. */
export function markRetried(error: unknown): void {
  if (typeof error === 'object' && error !== null) Reflect.defineProperty(error, RETRIED, { value: true });
}

/** True when the error, or one of its causes, was passed to `markRetried`. */
export function wasRetried(error: unknown): boolean {
  for (const link of causesOf(error)) if ((link as { [RETRIED]?: unknown })[RETRIED] === true) return true;
  return false;
}

/** Milliseconds that the other side asks to wait: from `retryAfter` (seconds), or a `Retry-After` header (RFC 9110 10.2.3). */
export function retryAfterMs(error: unknown, now: number = Date.now()): number | undefined {
  try {
    for (const link of causesOf(error)) {
      const { retryAfter, headers, response } = link as ErrorFacts;
      if (typeof retryAfter === 'number' && retryAfter >= 0) return retryAfter * 1000;
      const text = headerOf(headers) ?? headerOf(response?.headers);
      const waitMs = text === undefined ? undefined : headerMs(text.trim(), now);
      if (waitMs !== undefined) return waitMs;
    }
  } catch {
    // An unreadable error has no such wait.
  }
  return undefined;
}

function headerMs(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined; // an HTTP-date begins with the day (RFC 9110 5.6.7)
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Limits of the wait in `backoff`. */
export interface BackoffOptions {
  /** Milliseconds; default 1000. */
  readonly baseMs?: number;
  /** Milliseconds; default 30000. */
  readonly maxMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits after attempt `attempt` (from 1): up to `baseMs`, doubled each time, at most `maxMs`, with full jitter. @throws AbortError */
export async function backoff(attempt: number, options: BackoffOptions = {}): Promise<void> {
  await sleep(backoffMs(attempt, options), options.signal);
}

/** A random wait as in `backoff`, in milliseconds. */
export function backoffMs(
  attempt: number,
  { baseMs = 1_000, maxMs = 30_000 }: Omit<BackoffOptions, 'signal'> = {},
): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS));
}

/** Waits `ms` milliseconds; leaves no timer. @throws AbortError as soon as the signal is aborted */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return ms > LONGEST_TIMER_MS ? sleepLong(ms, signal) : sleepOnce(ms, signal);
}

async function sleepLong(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepOnce(LONGEST_TIMER_MS, signal);
  await sleep(ms - LONGEST_TIMER_MS, signal);
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new AbortError());
    const onAbort = () => {
      clearTimeout(timer);
      reject(new AbortError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

interface ErrorFacts {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly retryable?: unknown;
  readonly retryAfter?: unknown;
  readonly contextOverflow?: unknown;
  readonly headers?: unknown;
  readonly response?: { readonly status?: unknown; readonly statusCode?: unknown; readonly headers?: unknown } | null;
  readonly cause?: unknown;
}

function* causesOf(error: unknown): Generator<object> {
  const seen = new Set<unknown>();
  for (let link = error; seen.size < MAX_CAUSES && !seen.has(link); link = (link as ErrorFacts).cause) {
    if (typeof link !== 'object' || link === null) return;
    seen.add(link);
    yield link;
  }
}

function isRetryableCode(code: unknown): boolean {
  return typeof code === 'string' && (RETRYABLE_CODES.has(code) || code.startsWith('UND_ERR_'));
}

/** Status of the error itself, else of its response, as in most HTTP clients. */
function statusOf({ status, statusCode, response }: ErrorFacts): unknown {
  return status ?? statusCode ?? response?.status ?? response?.statusCode;
}

function headerOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const read = (headers as { get?: unknown }).get;
  const value =
    typeof read === 'function'
      ? (read.call(headers, 'retry-after') as unknown)
      : Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
