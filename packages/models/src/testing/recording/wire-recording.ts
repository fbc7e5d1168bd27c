/** The first member of every recording: what it is, and in which version. */
export const RECORDING_FORMAT = 'wire-recording/1';

/**
 * One HTTP exchange, as plain JSON; a file holds one. Nothing in it is secret. What belongs to one connection only is left out:
 * `content-length`, `transfer-encoding`, `connection` and the like, and compression, which is undone.
 */
export interface WireRecording {
  readonly format: typeof RECORDING_FORMAT;
  readonly request: RecordedRequest;
  /** Null when the connection ended before a status line. */
  readonly answer: RecordedAnswer | null;
}
/** What was asked. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query; begins with `/`. */
  readonly path: string;
  readonly headers: readonly RecordedHeader[];
  readonly body: RecordedBytes;
}
/** What was answered. */
export interface RecordedAnswer {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: readonly RecordedHeader[];
  /** The body in the pieces in which it came. */
  readonly chunks: readonly RecordedChunk[];
  /** `complete`: the body came to its end; `cut`: the service broke off; `left`: the client had gone. */
  readonly end: 'complete' | 'cut' | 'left';
}
/** In the order of the wire, names as they were written; of a repeated one all. */
export type RecordedHeader = readonly [name: string, value: string];
/** Bytes: the text when they are UTF-8, base64 (RFC 4648 4, padded) otherwise, as when a piece ends inside a character. */
export type RecordedBytes = { readonly text: string } | { readonly base64: string };
/** One piece of a body. */
export type RecordedChunk = RecordedBytes & {
  /** Milliseconds after the head, where times were kept; never less than that of the piece before. */
  readonly atMs?: number;
};

/** Bytes as a recording writes them. */
export function recordedBytes(bytes: Uint8Array): RecordedBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  return Buffer.from(text).equals(buffer) ? { text } : { base64: buffer.toString('base64') };
}

/** The bytes that a recording holds. */
export function bytesOf(recorded: RecordedBytes): Buffer {
  return 'text' in recorded ? Buffer.from(recorded.text) : Buffer.from(recorded.base64, 'base64');
}
