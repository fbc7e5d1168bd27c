import { AgentError } from '@x/core';

/** What a `RecordingError` says besides its message. */
export interface RecordingErrorOptions {
  /** `INVALID_RECORDING`: it cannot be read; `RECORDING_FAILED`: it could not be kept. */
  readonly code: 'INVALID_RECORDING' | 'RECORDING_FAILED';
  /** The file, or whatever else the recording came from. */
  readonly source?: string;
  /** The first part that does not fit, such as `answer.chunks[3].text`. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** A recording that cannot be read, or could not be kept. */
export class RecordingError extends AgentError {
  override readonly name = 'RecordingError';
  declare readonly source?: string;
  declare readonly field?: string;

  constructor(message: string, { code, source, field, cause }: RecordingErrorOptions) {
    super(message, { code, ...(cause === undefined ? {} : { cause }) });
    if (source !== undefined) this.source = source;
    if (field !== undefined) this.field = field;
  }
}
