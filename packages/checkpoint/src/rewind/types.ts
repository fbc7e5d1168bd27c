/** Options of a rewind. */
export interface RewindOptions {
  /** Only tells what would happen. Default: false. */
  readonly dryRun?: boolean;
  /** Restores files, too, that somebody else has changed; a rewind to `rewindId` brings their content back. Default: false. */
  readonly force?: boolean;
  /** Only these files, and what is below these directories; absolute, or from `cwd`. Default: all. */
  readonly paths?: readonly string[];
  /** Only the changes of this call. Default: of all since the message. */
  readonly callId?: string;
  /** Ends the rewind with an AbortError as long as no file is changed; one that has begun to change files is completed. */
  readonly signal?: AbortSignal;
}

/** A file that is not as it should be. */
export interface RewindError {
  readonly filePath: string;
  readonly error: string;
}

/** What a rewind does to one file. */
export interface RewindChange {
  readonly filePath: string;
  readonly operation: 'create' | 'modify' | 'delete';
  /** Lines of text that come and go; 0 for what is no text, or longer than 1 MiB. */
  readonly insertions: number;
  readonly deletions: number;
}

/** What was left out. */
export interface Skipped {
  readonly filePath: string;
  /** The rule of a `.gitignore` or of the standard list, `special file`, or why it cannot be read. */
  readonly reason: string;
}

/** What a rewind has done, or with `dryRun` would do. Paths are absolute. */
export interface RewindResult {
  /** True when every file is as it was. */
  readonly success: boolean;
  readonly restoredFiles: readonly string[];
  readonly deletedFiles: readonly string[];
  /** Why a file, or all of it, is not as it was: conflicts and what cannot be restored are among them. */
  readonly errors: readonly RewindError[];
  /** Files that somebody else has changed as well; they are untouched. */
  readonly conflicts: readonly string[];
  /** Files whose earlier content was not kept, or whose present content would be lost for good; they are untouched. */
  readonly unrestorable: readonly RewindError[];
  /** One example for each rule, and files that a call has written although they are left out. */
  readonly skipped: readonly Skipped[];
  readonly changes: readonly RewindChange[];
  readonly insertions: number;
  readonly deletions: number;
  readonly dryRun: boolean;
  /** `rewind(rewindId)` takes this rewind back. Absent when nothing was changed. */
  readonly rewindId?: string;
}

/** Numbers of a checkpointer. */
export interface CheckpointStatistics {
  readonly checkpointCount: number;
  /** Different paths that calls have changed. */
  readonly trackedFileCount: number;
  /** Changes since the last checkpoint. */
  readonly pendingChangeCount: number;
}
