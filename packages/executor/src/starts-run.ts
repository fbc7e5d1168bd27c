import type { Tool } from '@x/core';

const STARTS_RUN = Symbol('startsRun');

/**
 * Marks a tool whose execution is a run. Such a call ends by itself at an abort, when its own calls are answered, and has no time limit:
 * each call inside has its own.
 */
export function startingRuns<T extends Tool>(tool: T): T {
  return { ...tool, [STARTS_RUN]: true };
}

/** True for a tool marked by `startingRuns`, also for a handler's copy. */
export function startsRun(tool: Tool): boolean {
  return STARTS_RUN in tool;
}
