import type { RunContext } from '@x/core';

/** A subagent's run, and whether its end was told to the hooks. */
export interface ChildRun {
  readonly run: RunContext;
  ended: boolean;
}
/** What the hooks keep of one run while it is under way in this process. */
export interface RunMemory {
  /** By call: what hooks have said for the model and its result does not hold yet. */
  readonly contexts: Map<string, readonly string[]>;
  /** Ids of the messages with which hooks have started a turn. */
  readonly forcedMessages: Set<string>;
  /** By call: the subagents it has started. */
  readonly children: Map<string, readonly ChildRun[]>;
  /** Names of the tools whose result ends the run. */
  readonly direct: Set<string>;
}

/** Finds the memory of a run, which goes with the run. */
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
