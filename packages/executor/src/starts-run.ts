import type { Tool } from '@x/core';

const STARTS_RUN = Symbol('startsRun');

/**
 * The tool, marked as one whose execution is a run. Such a call ends by itself at an abort, when its own calls are answered, and
 * has no time limit: each call inside has its own.
 */
export function startingRuns<T extends Tool>(tool: T): T {
  return { ...tool, [STARTS_RUN]: true };
}

/** True for what `startingRuns` has marked, also in a copy that a handler has made. */
export function startsRun(tool: Tool): boolean {
  return STARTS_RUN in tool;
}
