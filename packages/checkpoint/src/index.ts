export { type CheckpointHandlerOptions, checkpointHandler } from './checkpoint-handler.ts';
export { type Checkpointer, type CheckpointerOptions, createCheckpointer } from './create-checkpointer.ts';
export type {
  CheckpointStatistics,
  RewindChange,
  RewindError,
  RewindOptions,
  RewindResult,
  Skipped,
} from './rewind/types.ts';
