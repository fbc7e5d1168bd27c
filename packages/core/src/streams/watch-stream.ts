/** Whom to tell of what a stream does. */
export interface StreamWatcher<R> {
  /** Before the first step. */
  readonly started: () => void;
  readonly ended: (value: R) => void;
  readonly failed: (error: unknown) => void;
}

/** The same stream, watched. Nothing stands between the stream and its reader, so no step takes longer. */
export function watchStream<E, R>(
  stream: AsyncGenerator<E, R, void>,
  { started, ended, failed }: StreamWatcher<R>,
): AsyncGenerator<E, R, void> {
  const next = stream.next.bind(stream);
  let begun = false;
  stream.next = () => {
    if (!begun) started();
    begun = true;
    const step = next();
    step.then((taken) => {
      if (taken.done) ended(taken.value);
    }, failed);
    return step;
  };
  return stream;
}
