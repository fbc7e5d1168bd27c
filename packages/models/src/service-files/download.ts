import type { BuiltRequest } from '../wire/endpoint.ts';
import { type ErrorContext, errorOfAnswer, ModelError } from '../wire/model-error.ts';

interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly context: ErrorContext;
  readonly maxBytes: number;
}

/** Of an answer that is an error. */
const MOST_OF_AN_ERROR = 64 * 1024;

/**
 * The bytes of an answer, and its media type without parameters. Follows no redirect, which would take the key elsewhere.
 * @throws ModelError for another answer, and for more than `maxBytes`
 */
export async function downloaded(
  { url, headers }: BuiltRequest,
  { signal, context, maxBytes }: DownloadOptions,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }> {
  const answer = await fetch(url, { ...(headers ? { headers } : {}), redirect: 'manual', signal });
  if (!answer.ok) {
    const { bytes } = await read(answer, MOST_OF_AN_ERROR);
    const body = new TextDecoder().decode(bytes);
    throw errorOfAnswer({ status: answer.status, headers: Object.fromEntries(answer.headers), body }, context);
  }
  const { bytes, isWhole } = await read(answer, maxBytes);
  if (!isWhole) {
    const { provider } = context;
    throw new ModelError(`The file of ${provider} has more than ${maxBytes} bytes; give a larger maxBytes`, {
      provider,
      retryable: false,
    });
  }
  return { bytes, mediaType: (answer.headers.get('content-type') ?? '').replace(/;.*$/, '').trim() };
}

/** At most `most` bytes of a body; what follows is not read. */
async function read(
  { body }: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > most) return { bytes: Buffer.concat(pieces), isWhole: false };
    pieces.push(piece);
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}
