/** Callbacks for the start and the end of a stream. */
export interface StreamWatcher<R> {
  /** Before the first step. */
  readonly started: () => void;
  readonly ended: (value: R) => void;
  readonly failed: (error: unknown) => void;
}

/** The same stream, observed. Nothing is between the stream and its reader, so no step takes longer. */
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
