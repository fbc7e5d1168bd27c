import type { ExecutionContext, ExecutionOptions } from '../src/index.ts';

/** How one attempt behaves when nobody ends it. */
export interface ScriptedAttempt {
  /** Tens of milliseconds. */
  readonly lastsMs: number;
  readonly ends: 'value' | 'final error' | 'network error' | 'asks to wait';
  /** Ends with its signal, or does not care. */
  readonly obeys: boolean;
}
/** One execution, drawn from a seed. */
export interface ExecutionScript {
  readonly attempts: readonly ScriptedAttempt[];
  readonly options: Required<Pick<ExecutionOptions, 'timeout' | 'retry' | 'retryDelay' | 'backoff' | 'maxDelay'>> &
    Pick<ExecutionOptions, 'effect'>;
  /** When the caller aborts; undefined when he does not. Never a multiple of ten, so that nothing else happens then. */
  readonly abortMs: number | undefined;
}
/** What is seen of an execution, or foreseen. Times count from its beginning. */
export interface ExecutionCourse {
  readonly startedMs: readonly number[];
  readonly outcome: 'value' | 'final error' | 'network error' | 'asks to wait' | 'TIMEOUT' | 'ABORTED';
  readonly endedMs: number;
  /** Attempts that ended after they had been given up, by number, with how and when. */
  readonly late: readonly string[];
}
/** The part of `ToolExecutor` that is on trial. */
export type Execute = (
  work: (parameters: object, context: ExecutionContext) => Promise<string>,
  options: ExecutionOptions,
) => Promise<string>;

/** Seconds in a `RateLimitError`. */
export const ASKED_SECONDS = 1;

/** A script from numbers below one. */
export function scriptFrom(random: () => number): ExecutionScript {
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!; // there is one for each number below one
  const attempts = Array.from(
    { length: 6 },
    (): ScriptedAttempt => ({
      lastsMs: 10 * Math.floor(random() * 9),
      ends: pick('value', 'final error', 'network error', 'network error', 'network error', 'asks to wait'),
      obeys: random() < 0.5,
    }),
  );
  const effect = pick('pure', 'idempotent', undefined, undefined, 'non_idempotent');
  return {
    attempts,
    options: {
      timeout: pick(35, 55, 75, Number.POSITIVE_INFINITY),
      retry: pick(0, 1, 2, 3, 4),
      retryDelay: pick(0, 10, 30),
      backoff: pick('exponential', 'linear', 'constant'),
      maxDelay: pick(50, 1_500),
      ...(effect ? { effect } : {}),
    },
    abortMs: random() < 0.3 ? 3 + 10 * Math.floor(random() * 30) : undefined,
  };
}

/** What must happen, told without any code of the executor. */
export function foreseen({ attempts, options, abortMs = Number.POSITIVE_INFINITY }: ExecutionScript): ExecutionCourse {
  const startedMs: number[] = [];
  const late: string[] = [];
  let nowMs = 0;
  for (const [index, { lastsMs, ends, obeys }] of attempts.entries()) {
    if (abortMs < nowMs) return { startedMs, outcome: 'ABORTED', endedMs: abortMs, late };
    startedMs.push(nowMs);
    const overMs = nowMs + Math.min(lastsMs, options.timeout, abortMs - nowMs);
    const isOver = lastsMs <= overMs - nowMs;
    if (!isOver) {
      const outcome = overMs === abortMs ? 'ABORTED' : 'TIMEOUT';
      const lateMs = obeys ? overMs : nowMs + lastsMs;
      late.push(`${index + 1} ${obeys ? 'obeyed' : ends} at ${lateMs}`);
      return { startedMs, outcome, endedMs: overMs, late };
    }
    const isRetried = ends === 'network error' || ends === 'asks to wait';
    const mayRetry = index < options.retry && options.effect !== 'non_idempotent';
    const askedMs = ends === 'asks to wait' ? 1_000 * ASKED_SECONDS : 0;
    if (!isRetried || !mayRetry || askedMs > options.maxDelay)
      return { startedMs, outcome: ends, endedMs: overMs, late };
    const growth = { exponential: 2 ** index, linear: index + 1, constant: 1 }[options.backoff];
    nowMs = overMs + Math.max(askedMs, Math.min(options.maxDelay, options.retryDelay * growth));
  }
  throw new Error('There are more retries than attempts in the script');
}
