import type { AgentEvent, ModelStream } from '@x/core';

/**
 * The stream of `start`. An error before its first delta is given to `recover`, whose stream goes on instead, or which throws it on;
 * once the reader has seen a delta, nothing can be taken back and errors pass. The failed stream is closed.
 */
export async function* beforeFirstDelta(
  start: () => ModelStream,
  recover: (error: unknown) => ModelStream,
): ModelStream {
  let spoken = false;
  let failure: unknown;
  let stream: ModelStream | undefined;
  try {
    stream = start();
    while (!spoken) {
      const step = await stream.next();
      if (step.done) return step.value;
      spoken = isDelta(step.value);
      yield step.value;
    }
    return yield* stream;
  } catch (error) {
    if (spoken) throw error;
    failure = error;
  } finally {
    await stream?.return(undefined as never); // harmless for one that has ended
  }
  return yield* recover(failure);
}

/** A piece of the reply: text or thought. */
export function isDelta({ type }: AgentEvent): boolean {
  return type === 'content' || type === 'thinking';
}
