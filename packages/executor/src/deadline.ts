import { TimeoutError } from '@x/core';
import { LONGEST_TIMER_MS } from './longest-timer.ts';

/** A signal that is aborted with its parent or when the time is up; `clear` removes the timer and the listener. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time was up before the parent was aborted. */
  readonly expired: boolean;
  clear(): void;
}

/** Starts a deadline. Without `timeoutMs` its signal is that of the parent. The reason of the abort is a `TimeoutError`. */
export function deadline(parent: AbortSignal, timeoutMs: number | undefined): Deadline {
  if (timeoutMs === undefined) return { signal: parent, expired: false, clear: () => undefined };
  const controller = new AbortController();
  let expired = false;
  const onAbort = () => controller.abort(parent.reason);
  const timer = setTimeout(
    () => {
      expired = true;
      controller.abort(new TimeoutError(`Execution timeout after ${timeoutMs}ms`, timeoutMs));
    },
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  if (parent.aborted) onAbort();
  parent.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    clear() {
      clearTimeout(timer);
      parent.removeEventListener('abort', onAbort);
    },
  };
}
