import { AbortError, TimeoutError } from '@x/core';

/** A call of foreign code under way. */
export interface BoundedCall<T> {
  /**
   * The result of the call; rejects immediately when a signal is aborted or the time is up, whatever the other side does.
   * @throws AbortError, TimeoutError, or the error of the call
   */
  readonly answer: Promise<T>;
  /** Resolves when the other side itself has answered: true on success. Never rejects. */
  readonly settled: Promise<boolean>;
  /** True once the wait was ended before the other side answered. */
  readonly cut: boolean;
}

/** Limits of the wait for a call. */
export interface CallBounds {
  /** The name of the called side, as the beginning of a sentence. */
  readonly who: string;
  readonly signals: readonly (AbortSignal | undefined)[];
  /** At most `LONGEST_TIMER_MS`. */
  readonly timeoutMs: number;
}

/** 24.8 days; a timer with more would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/**
 * Makes a call with a signal that is aborted with the first of `signals` or when the time is up; a synchronous error becomes a rejection.
 */
export function boundedCall<T>(
  call: (signal: AbortSignal) => T | Promise<T>,
  { who, signals, timeoutMs }: CallBounds,
): BoundedCall<T> {
  const controller = new AbortController();
  const cut = Promise.withResolvers<never>();
  let wasCut = false;
  const end = (reason: Error) => {
    wasCut = true;
    cut.reject(reason);
    controller.abort(reason);
  };
  const onAbort = () => end(new AbortError());
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.addEventListener('abort', onAbort, { once: true });
  const late = () => end(new TimeoutError(`${who} did not answer within ${timeoutMs} ms`, timeoutMs));
  const timer = setTimeout(late, timeoutMs);
  const begun = given.some(({ aborted }) => aborted) ? refused() : answerOf(call, controller.signal);
  const settled = begun.then(
    () => true,
    () => false,
  );
  const answer = Promise.race([cut.promise, begun]).finally(() => {
    clearTimeout(timer);
    for (const signal of given) signal.removeEventListener('abort', onAbort);
  });
  return {
    answer,
    settled,
    get cut() {
      return wasCut;
    },
  };
}

async function answerOf<T>(call: (signal: AbortSignal) => T | Promise<T>, signal: AbortSignal): Promise<T> {
  return await call(signal);
}

async function refused(): Promise<never> {
  throw new AbortError();
}
