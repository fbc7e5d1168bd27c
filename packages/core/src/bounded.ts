import { AbortError, TimeoutError } from '@x/errors';
import { onAbort } from './on-abort.ts';

/** 24.8 days, in milliseconds; a timer with more would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** A signal that is aborted with its parent or when the time is up; `clear` drops the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True once the time was up before the parent was aborted. */
  readonly expired: boolean;
  clear(): void;
}

/** Starts the clock. Without `timeoutMs` the deadline is its parent. The reason of the abort is a `TimeoutError`. */
export function deadline(
  parent: AbortSignal,
  timeoutMs: number | undefined,
  message = `Execution timeout after ${timeoutMs}ms`,
): Deadline {
  if (timeoutMs === undefined) return { signal: parent, expired: false, clear: () => undefined };
  const controller = new AbortController();
  let expired = false;
  const pass = () => controller.abort(parent.reason);
  const timer = setTimeout(
    () => {
      expired = !controller.signal.aborted;
      controller.abort(new TimeoutError(message, timeoutMs));
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  if (parent.aborted) pass();
  const leave = parent.aborted ? undefined : onAbort(parent, pass);
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    clear() {
      clearTimeout(timer);
      leave?.();
    },
  };
}

/**
 * Resolves as `begin` does, or rejects with an `AbortError` `patienceMs` (default 0) after the signal is aborted;
 * its end is then not awaited, and
 * nothing is begun when it was aborted before. What it does later concerns nobody.
 */
export async function unlessAborted<T>(
  begin: () => T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  patienceMs = 0,
): Promise<Awaited<T>> {
  if (signal?.aborted) throw new AbortError();
  const cut = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const end = () => cut.reject(new AbortError());
  const abort = patienceMs === 0 ? end : () => void (timer = setTimeout(end, patienceMs));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([(async () => await begin())(), cut.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
