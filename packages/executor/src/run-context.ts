import type { AgentEvent, RunContext } from '@x/core';

/** A `RunContext` whose emitted events wait until the loop takes them. */
export interface LiveRun extends RunContext {
  /** Hands out what was emitted since the last call, oldest first. */
  takeEmitted(): readonly AgentEvent[];
}

const NOTHING: readonly AgentEvent[] = [];

/** Makes the context of one run; the same object for all handlers, model calls and tools of it. */
export function liveRun(facts: Omit<RunContext, 'emit'>): LiveRun {
  let emitted: AgentEvent[] = [];
  return {
    ...facts,
    emit: (event) => {
      emitted.push(event);
    },
    takeEmitted: () => {
      if (emitted.length === 0) return NOTHING;
      const taken = emitted;
      emitted = [];
      return taken;
    },
  };
}
