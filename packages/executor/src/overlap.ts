import { checkKeys } from '@x/core/internal';

/** Options of `overlap`. */
export interface OverlapOptions<E> {
  /** Maximum number of concurrent streams. */
  readonly limit: number;
  /** True for the event after which the next stream may start. */
  readonly opensNext: (event: E) => boolean;
}

interface Step<E, R> {
  readonly index: number;
  readonly step?: IteratorResult<E, R>;
  readonly error?: unknown;
}

/** An open stream, and the handlers of its steps: created once, not for each step. */
interface Running<E, R> {
  readonly stream: AsyncGenerator<E, R, void>;
  readonly onStep: (step: IteratorResult<E, R>) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs streams concurrently, yielding events as they come and returning values in source order. Stream n+1 starts when stream n has yielded
 * an event that `opensNext` accepts, or has ended. No stream is pulled again before its last event was read. The first failure ends all;
 * leaving early settles every pending step first.
 */
export async function* overlap<E, R>(
  sources: readonly (() => AsyncGenerator<E, R, void>)[],
  options: OverlapOptions<E>,
): AsyncGenerator<E, R[], void> {
  checkKeys('overlap options', options, ['limit', 'opensNext']);
  const { limit, opensNext } = options;
  const results: R[] = [];
  const running = new Map<number, Running<E, R>>();
  const pending = new Map<number, Promise<void>>();
  const ready: Step<E, R>[] = [];
  let taken = 0;
  let wake: (() => void) | undefined;
  const arrive = (step: Step<E, R>) => {
    pending.delete(step.index);
    ready.push(step);
    wake?.();
  };
  const pull = (index: number, { stream, onStep, onError }: Running<E, R>) => {
    pending.set(index, stream.next().then(onStep, onError));
  };
  let opened = 0;
  let open = true;
  try {
    for (;;) {
      if (open && opened < sources.length && running.size < limit) {
        const index = opened++;
        const onStep = (step: IteratorResult<E, R>) => arrive({ index, step });
        const one = { stream: sources[index]!(), onStep, onError: (error: unknown) => arrive({ index, error }) };
        running.set(index, one);
        pull(index, one);
        open = false;
      }
      if (running.size === 0) return results;
      if (taken === ready.length) {
        ready.length = taken = 0;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const { index, step, error } = ready[taken++]!;
      if (!step) throw error;
      if (index === opened - 1 && (step.done || opensNext(step.value))) open = true;
      if (step.done) {
        results[index] = step.value;
        running.delete(index);
      } else {
        yield step.value;
        pull(index, running.get(index)!);
      }
    }
  } finally {
    await Promise.all(pending.values());
    await Promise.allSettled([...running.values()].map(({ stream }) => stream.return(undefined as never)));
  }
}
