import { AgentError, type AgentEvent, type RunContext, type Workspace } from '@x/core';
import { closedWorkspace } from '@x/core/internal';

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

/** Workspace of tools where none was given. Each door throws AgentError `NO_WORKSPACE`. */
export function noWorkspace(advice = 'give createChatModelAgent a workspace'): Workspace {
  return closedWorkspace((door) => {
    throw new AgentError(`There is no workspace for ${door}; ${advice}`, 'NO_WORKSPACE', 400);
  });
}
