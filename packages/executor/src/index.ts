export { type Deadline, deadline } from './deadline.ts';
export { type MemoryJournal, memoryJournal } from './memory-journal.ts';
export { type OverlapOptions, overlap } from './overlap.ts';
export { runAgent } from './run-agent.ts';
export { type LiveRun, liveRun } from './run-context.ts';
export type { InterruptedCall, Reconcile, RunOptions, RunResult } from './run-options.ts';
export { MAX_OUTPUT_BYTES, truncateOutput } from './truncate-output.ts';
export { untilAborted } from './until-aborted.ts';
