import type { TimedChunk } from './edit-chunks.ts';
import type { RecordedAnswer, RecordedHeader } from './wire-recording.ts';

/** An exchange before redaction. */
export interface SeenExchange {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly RecordedHeader[];
  readonly body: Buffer;
  readonly answer:
    | {
        readonly status: number;
        readonly headers: readonly RecordedHeader[];
        readonly chunks: readonly TimedChunk[];
        readonly end: RecordedAnswer['end'];
      }
    | undefined;
}
