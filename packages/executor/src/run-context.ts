import type { AgentEvent, RunContext } from '@x/core';

/** A `RunContext` whose emitted events wait until the loop takes them. */
export interface LiveRun extends RunContext {
  /** Returns the events emitted since the last call, oldest first. */
  takeEmitted(): readonly AgentEvent[];
}

const NOTHING: readonly AgentEvent[] = [];

/** Creates the context of one run; the same object for all its handlers, model calls and tools. */
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
