import type { AgentEvent, AssistantMessage, ModelStream } from '@x/core';
import { StreamRelay } from './stream-relay.ts';

type Step = Promise<IteratorResult<AgentEvent, AssistantMessage>>;

/**
 * The stream of `start`. An error before its first delta is given to `recover`, whose stream goes on instead, or which throws it on;
 * once the reader has seen a delta, nothing can be taken back and errors pass. The failed stream is closed.
 */
export function beforeFirstDelta(start: () => ModelStream, recover: (error: unknown) => ModelStream): ModelStream {
  let settled = false;
  async function first(relay: StreamRelay<AgentEvent, AssistantMessage>): Step {
    try {
      const step = await relay.stream(start).next();
      settled = step.done === true || isDelta(step.value);
      return step;
    } catch (error) {
      settled = true;
      await relay.close();
      if (relay.left) throw error;
      return await relay.stream(() => recover(error)).next();
    }
  }
  // From the first delta on a step is the inner stream's own, with nothing in between.
  return new StreamRelay((relay) => (settled ? relay.stream(start).next() : first(relay)));
}

/** A piece of the reply: text or thought. */
export function isDelta({ type }: AgentEvent): boolean {
  return type === 'content' || type === 'thinking';
}
