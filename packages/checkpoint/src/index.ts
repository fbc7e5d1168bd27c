export { type CheckpointHandlerOptions, checkpointHandler } from './checkpoint-handler.ts';
export { type Checkpointer, type CheckpointerOptions, createCheckpointer } from './create-checkpointer.ts';
export type { FileChange, FileSnapshot, MessageCheckpoint } from './history/types.ts';
export type {
  CheckpointStatistics,
  RewindChange,
  RewindError,
  RewindOptions,
  RewindResult,
  Skipped,
} from './rewind/types.ts';
