/** The first member of every recording: format and version. */
export const RECORDING_FORMAT = 'wire-recording/1';

/**
 * One HTTP exchange, as plain JSON; a file holds one. It contains no secrets. Headers of one connection are left out: `content-length`,
 * `transfer-encoding`, `connection` and the like, and compression, which is undone.
 */
export interface WireRecording {
  readonly format: typeof RECORDING_FORMAT;
  readonly request: RecordedRequest;
  /** Null when the connection ended before a status line. */
  readonly answer: RecordedAnswer | null;
}
/** The recorded request. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query; begins with `/`. */
  readonly path: string;
  readonly headers: readonly RecordedHeader[];
  readonly body: RecordedBytes;
}
/** The recorded answer. */
export interface RecordedAnswer {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: readonly RecordedHeader[];
  /** The body in the pieces in which it arrived. */
  readonly chunks: readonly RecordedChunk[];
  /** `complete`: the body reached its end; `cut`: the service broke off; `left`: the client had gone. */
  readonly end: 'complete' | 'cut' | 'left';
}
/** In wire order, with original names; all values of a repeated one. */
export type RecordedHeader = readonly [name: string, value: string];
/** Bytes: the text when they are UTF-8, base64 (RFC 4648 4, padded) otherwise, as when a piece ends inside a character. */
export type RecordedBytes = { readonly text: string } | { readonly base64: string };
/** One piece of a body. */
export type RecordedChunk = RecordedBytes & {
  /** Milliseconds after the head, if times were kept; never less than that of the piece before. */
  readonly atMs?: number;
};

/** Encodes bytes for a recording. */
export function recordedBytes(bytes: Uint8Array): RecordedBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  return Buffer.from(text).equals(buffer) ? { text } : { base64: buffer.toString('base64') };
}

/** Decodes the bytes of a recording. */
export function bytesOf(recorded: RecordedBytes): Buffer {
  return 'text' in recorded ? Buffer.from(recorded.text) : Buffer.from(recorded.base64, 'base64');
}
