import { deadline, unlessAborted } from '@x/core/internal';

/** A call of somebody else's code under way. */
export interface BoundedCall<T> {
  /**
   * What the call comes to, at once when a signal is aborted or the time is up, whatever the other side does.
   * @throws AbortError, TimeoutError, or what the call rejected with
   */
  readonly answer: Promise<T>;
  /** When the other side itself has answered: true when it did what it was asked. Never rejects. */
  readonly settled: Promise<boolean>;
  /** True once the wait was ended before the other side answered. */
  readonly cut: boolean;
}

/** What ends the wait for a call. */
export interface CallBounds {
  /** Who is called, at the beginning of a sentence. */
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
