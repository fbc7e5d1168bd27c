import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** The server's answer to one request. */
export interface WireAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Default: `content-type: text/event-stream`. A list sends the header several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
  /** Bytes of one write; default: everything in one. */
  readonly chunkBytes?: number;
  /** The body as separate writes, each a chunk of its own on the wire. Instead of `body` and `chunkBytes`. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /** Time of each of `chunks`, in milliseconds after the head. Default: each as soon as the one before it is written. */
  readonly timesMs?: readonly number[];
  /** Closes the connection after so many bytes of the body; 0 closes it before the status line. */
  readonly cutAt?: number;
  /** Closes the connection after the body without ending it: a cut body, even an empty one. */
  readonly cut?: boolean;
  /** Milliseconds between two writes. */
  readonly delayMs?: number;
  /** Never ends the body. */
  readonly hangs?: boolean;
  /** Sends no answer, and keeps the connection open. */
  readonly silent?: boolean;
}

/** Writes an answer, one piece at a time: the next when the last has left the process. `onWritten` is called with the bytes of each. */
export async function playAnswer(
  outgoing: ServerResponse,
  answer: WireAnswer,
  onWritten: (bytes: number) => void,
): Promise<void> {
  if (answer.silent) return;
  if (answer.cutAt === 0) return void outgoing.destroy();
  outgoing.writeHead(answer.status ?? 200, headersOf(answer));
  if (answer.hangs || answer.cut || answer.timesMs) outgoing.flushHeaders();
  const start = performance.now();
  for (const [index, piece] of piecesOf(answer).entries()) {
    if (outgoing.destroyed) return;
    if (piece.length === 0) continue;
    const time = answer.timesMs?.[index];
    if (time !== undefined) await wait(Math.max(0, time - (performance.now() - start)));
    await new Promise<void>((resolve) => outgoing.write(piece, () => resolve()));
    onWritten(piece.length);
    await (answer.delayMs === undefined ? nextTurn() : wait(answer.delayMs));
  }
  if (answer.cutAt !== undefined || answer.cut) outgoing.destroy();
  else if (!answer.hangs) outgoing.end();
}

function headersOf({
  headers = { 'content-type': 'text/event-stream' },
}: WireAnswer): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function piecesOf({ body = '', chunkBytes, chunks, cutAt = Number.POSITIVE_INFINITY }: WireAnswer): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let room = cutAt;
  for (const chunk of chunks ?? splitBytes(Buffer.from(body), chunkBytes)) {
    const piece = (typeof chunk === 'string' ? Buffer.from(chunk) : chunk).subarray(0, room);
    room -= piece.length;
    pieces.push(piece);
  }
  return pieces;
}

function splitBytes(bytes: Uint8Array, step: number = Math.max(bytes.length, 1)): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
}
