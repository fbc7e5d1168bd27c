import type { OpenSpan } from './run-trace.ts';

/** What happens at the moments of a traced stream. */
export interface TracedStream<E, R> {
  /** Opens the stream; called with the span active. */
  readonly open: () => AsyncGenerator<E, R, void>;
  readonly onEvent: (event: E) => void;
  readonly onReturn: (value: R) => void;
  readonly onThrow: (failure: unknown) => void;
  /** The reader has left. */
  readonly onLeave: () => void;
}

/** The same stream, each of its steps taken with the span active, so that what it starts is a child of it. The moments end the span. */
export async function* tracedStream<E, R>(
  { active }: OpenSpan,
  { open, onEvent, onReturn, onThrow, onLeave }: TracedStream<E, R>,
): AsyncGenerator<E, R, void> {
  let stream: AsyncGenerator<E, R, void> | undefined;
  let ended = true; // it is, should a step throw
  try {
    stream = active(open);
    const next = stream.next.bind(stream);
    for (;;) {
      const step = await active(next);
      if (step.done) {
        onReturn(step.value);
        return step.value;
      }
      onEvent(step.value);
      ended = false;
      yield step.value;
      ended = true;
    }
  } catch (failure) {
    onThrow(failure);
    throw failure;
  } finally {
    if (!ended && stream) {
      const left = stream;
      try {
        await active(() => left.return(undefined as never)); // safe: nobody reads the value
      } finally {
        onLeave();
      }
    }
  }
}
