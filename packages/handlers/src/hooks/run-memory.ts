import type { RunContext } from '@x/core';

/** A subagent's run; `ended` once the hooks were run for its end. */
export interface ChildRun {
  readonly run: RunContext;
  ended: boolean;
}
/** State of the hooks for one run while it is under way in this process. */
export interface RunMemory {
  /** By call: context from hooks for the model that is not yet in its result. */
  readonly contexts: Map<string, readonly string[]>;
  /** Ids of the messages with which hooks have started a turn. */
  readonly forcedMessages: Set<string>;
  /** By call: the subagents it has started. */
  readonly children: Map<string, readonly ChildRun[]>;
  /** Names of the tools whose result ends the run. */
  readonly direct: Set<string>;
}

/** Finds the state of a run, which is freed with the run. */
export function runMemories(): (run: RunContext) => RunMemory {
  const memories = new WeakMap<RunContext, RunMemory>();
  return (run) => {
    let memory = memories.get(run);
    if (!memory) {
      memory = { contexts: new Map(), forcedMessages: new Set(), children: new Map(), direct: new Set() };
      memories.set(run, memory);
    }
    return memory;
  };
}
