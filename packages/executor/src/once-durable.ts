import { inner, type Nested } from '@x/core/streams';

/**
 * Yields `before` and then the events of `stream` once `recorded` has resolved. The stream is pulled in the meantime, up to the first event
 * that `pausesAt` accepts, so that its records share a commit with those being written. A stream that waits longer than the record delays
 * nothing. @throws the error of `recorded`, after the stream was ended
 */
export async function* onceDurable<E, R>(
  recorded: Promise<void>,
  {
    before,
    stream,
    pausesAt,
  }: { before: readonly E[]; stream: AsyncGenerator<E, R, void>; pausesAt: (event: E) => boolean },
): Nested<E, R> {
  const held = [...before];
  const durable = recorded.then(() => undefined);
  let pending: Promise<IteratorResult<E, R>> | undefined = stream.next();
  let step: IteratorResult<E, R> | undefined;
  let ended = false;
  try {
    for (;;) {
      step = await Promise.race([pending, durable]);
      if (!step || step.done) break;
      pending = undefined;
      held.push(step.value);
      if (pausesAt(step.value)) break;
      pending = stream.next();
    }
    await durable;
    for (const event of held) yield event; // `yield*` of a list costs a promise each, and one more for its end
    const next = pending && (await pending);
    pending = undefined;
    ended = next?.done ?? false;
    if (next?.done) return next.value;
    if (next) yield next.value;
    const rest = inner(stream);
    yield rest;
    ended = true;
    return rest.result;
  } finally {
    if (!ended) {
      await Promise.allSettled([pending, durable]);
      await stream.return(undefined as never);
    }
  }
}
