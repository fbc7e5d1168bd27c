import { AbortError } from '@x/core';

/**
 * The same stream, ended as soon as the signal is aborted, even when the work ignores it: the pending step is left behind and the
 * stream is asked to clean up, without waiting for it. @throws AbortError
 */
export async function* untilAborted<E, R>(
  stream: AsyncGenerator<E, R, void>,
  signal: AbortSignal,
): AsyncGenerator<E, R, void> {
  let interrupt: ((error: AbortError) => void) | undefined;
  const onAbort = () => interrupt?.(new AbortError());
  signal.addEventListener('abort', onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      if (signal.aborted) throw new AbortError();
      const step = await new Promise<IteratorResult<E, R>>((resolve, reject) => {
        interrupt = reject;
        stream.next().then(resolve, reject);
      });
      if (step.done) {
        ended = true;
        return step.value;
      }
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A stream that failed has ended by itself; asking once more is harmless. After an abort nobody waits for it.
    if (!ended) {
      const cleanup = stream.return(undefined as never);
      if (signal.aborted) cleanup.catch(() => undefined);
      else await cleanup;
    }
  }
}
