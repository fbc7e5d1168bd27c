import { AbortError } from '@x/errors';

/** Reads a stream to its end while the reader of another one gets its events. @throws AbortError once that reader has left */
export type Relay<E> = <R>(stream: AsyncGenerator<E, R, void>) => Promise<R>;

/**
 * A promise as a stream: `run` passes streams to `relay`, whose events are yielded one at a time, each stream continuing once its event was
 * read. Leaving ends these streams and waits for them; with `waitsForRun` for `run` too, which can then relay nothing any more.
 */
export async function* relayed<E, R>(
  run: (relay: Relay<E>) => R | Promise<R>,
  { waitsForRun = false }: { readonly waitsForRun?: boolean } = {},
): AsyncGenerator<E, R, void> {
  const streams = new Set<AsyncGenerator<E, unknown, void>>();
  const waiting: { readonly event: E; readonly taken: () => void }[] = [];
  let state: 'running' | 'settled' | 'left' = 'running';
  let wake = (): void => undefined;
  const isLeft = () => state === 'left';
  const relay: Relay<E> = async (stream) => {
    streams.add(stream);
    try {
      for (;;) {
        if (isLeft()) throw new AbortError('Nobody reads this stream any more');
        const step = await stream.next();
        if (isLeft()) continue;
        if (step.done) return step.value;
        await new Promise<void>((taken) => {
          waiting.push({ event: step.value, taken });
          wake();
        });
      }
    } finally {
      streams.delete(stream);
    }
  };
  // Async, so that a throw or a plain value is an outcome too.
  const outcome = (async () => run(relay))().finally(() => {
    if (!isLeft()) state = 'settled';
    wake();
  });
  outcome.catch(() => undefined); // read below, unless the reader leaves first
  let ended = false;
  try {
    for (;;) {
      const [next] = waiting;
      if (next) {
        yield next.event;
        waiting.shift();
        next.taken();
      } else if (state !== 'running') {
        ended = true;
        return await outcome;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    state = 'left';
    const closing = Promise.allSettled([...streams].map((stream) => stream.return(undefined as never))); // safe: nobody reads the values
    for (const { taken } of waiting) taken();
    if (!ended) await closing; // what `run` has left running when it settled is waited for by nobody
    if (!ended && waitsForRun) await outcome.catch(() => undefined);
  }
}
