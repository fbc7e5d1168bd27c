import { deadline, unlessAborted } from '@x/core/internal';

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

/** Calls with a signal that is aborted with the first of `signals` or when the time is up; one that throws has rejected. */
export function boundedCall<T>(
  call: (signal: AbortSignal) => T | Promise<T>,
  { who, signals, timeoutMs }: CallBounds,
): BoundedCall<T> {
  const given = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const limit = deadline(given, timeoutMs, `${who} did not answer within ${timeoutMs} ms`);
  const begun = unlessAborted(() => call(limit.signal), given.aborted ? given : undefined);
  const settled = begun.then(
    () => true,
    () => false,
  );
  const answer = unlessAborted(() => begun, limit.signal)
    .catch((error: unknown) => {
      throw limit.expired ? limit.signal.reason : error;
    })
    .finally(() => limit.clear());
  return {
    answer,
    settled,
    get cut() {
      return limit.signal.aborted;
    },
  };
}
