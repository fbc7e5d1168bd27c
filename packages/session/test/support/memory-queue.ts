import type { Ask, AskQueue } from '../../src/engine/ask-queue.ts';

interface Waiting extends Ask {
  readonly from: number;
}

/** A queue in memory that several engines may share; `failWith` makes each call fail. */
export function memoryQueue() {
  const waiting = new Map<string, Waiting>();
  const taken = new Map<string, Ask>();
  const state: { failWith?: Error; kept: string[]; closed: number } = { kept: [], closed: 0 };
  const fail = () => {
    if (state.failWith) throw state.failWith;
  };
  const queue: AskQueue<Ask> = {
    async put(ask, delayMs) {
      fail();
      if (!waiting.has(ask.sessionId)) waiting.set(ask.sessionId, { ...ask, from: performance.now() + delayMs });
    },
    async take(most) {
      fail();
      const now = performance.now();
      const found = [...waiting.values()].filter(({ sessionId, from }) => from <= now && !taken.has(sessionId));
      for (const ask of found.slice(0, most)) {
        waiting.delete(ask.sessionId);
        taken.set(ask.sessionId, ask);
      }
      return found.slice(0, most);
    },
    async done(ask) {
      fail();
      if (taken.get(ask.sessionId) === ask) taken.delete(ask.sessionId);
    },
    async keep(asks) {
      fail();
      state.kept.push(...asks.map(({ sessionId }) => sessionId));
    },
    async close() {
      state.closed += 1;
    },
  };
  return { queue, state, waiting, taken };
}
