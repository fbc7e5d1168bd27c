import { AgentError } from '@x/core';

/** Options of a `RecordingError`. */
export interface RecordingErrorOptions {
  /** `INVALID_RECORDING`: it cannot be read; `RECORDING_FAILED`: it could not be stored. */
  readonly code: 'INVALID_RECORDING' | 'RECORDING_FAILED';
  /** The file, or another source of the recording. */
  readonly source?: string;
  /** The first invalid part, such as `answer.chunks[3].text`. */
  readonly field?: string;
  readonly cause?: unknown;
}

/** A recording that cannot be read, or could not be stored. */
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
