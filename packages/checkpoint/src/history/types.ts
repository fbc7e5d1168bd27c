/** The state of a path at one moment. */
export interface FileSnapshot {
  /** Absolute. */
  readonly filePath: string;
  /** Text in UTF-8, or the target of a link; null for anything else, for what was not kept, and for no file at all. */
  readonly content: string | null;
  readonly exists: boolean;
  /** When it was first seen in this state, or was changed. */
  readonly timestamp: Date;
  readonly kind: 'file' | 'directory' | 'symlink' | null;
  /** SHA-256 of a file's content, in hexadecimal; null when it is not kept. */
  readonly hash: string | null;
  /** Bytes of a file. */
  readonly size: number | null;
  /** Permission bits; null for a link. */
  readonly mode: number | null;
  /** `binary` when the bytes of a file are no text in UTF-8; they come back all the same. */
  readonly encoding: 'utf-8' | 'binary' | null;
}

/** A change that a call has made. */
export interface FileChange {
  readonly filePath: string;
  readonly operation: 'create' | 'modify' | 'delete';
  /** Null when there was no such file. */
  readonly beforeSnapshot: FileSnapshot | null;
  readonly afterSnapshot: FileSnapshot;
  readonly timestamp: Date;
  /** The calls at work; several at the same time share what is found. */
  readonly callIds: readonly string[];
}

/** The checkpoint of a message. */
export interface MessageCheckpoint {
  readonly messageUuid: string;
  readonly messageRole: 'user' | 'assistant';
  readonly timestamp: Date;
  /** Changes of calls between this checkpoint and the next one, oldest first. */
  readonly fileChanges: readonly FileChange[];
  /** These files as they were at this checkpoint, by their paths. */
  readonly fileSnapshots: ReadonlyMap<string, FileSnapshot>;
}
