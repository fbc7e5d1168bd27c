import { constants, type FileHandle, open } from 'node:fs/promises';
import { SessionError, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';

/** Reads a regular file of at most `most` bytes. @throws ValidationError, SessionError `ENTRY_TOO_LARGE` */
export async function readPart(path: string, most: number, place: string): Promise<Uint8Array> {
  let file: FileHandle;
  try {
    // a pipe without a writer would be waited for
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    throw unreadable(place, messageOf(cause));
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw unreadable(place, `${path} is not a file`);
    if (stat.size > most) throw tooLarge(place, stat.size, most);
    return await wholeFile(file, stat.size, place);
  } finally {
    await file.close();
  }
}

/** @returns the error for a part that is over its bound, in bytes */
export function tooLarge(place: string, bytes: number, most: number): SessionError {
  const message = `${place} has ${bytes} bytes, and there is room for ${most}: make it smaller, or send a path that tools can read`;
  return new SessionError(message, { code: 'ENTRY_TOO_LARGE' });
}

/** Bounded by the size that was checked, whatever is written meanwhile. */
async function wholeFile(file: FileHandle, size: number, place: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    length += bytesRead;
    if (length > size) throw unreadable(place, 'it grows while it is read');
    if (bytesRead === 0) return bytes.subarray(0, length);
  }
}

function unreadable(place: string, why: string): ValidationError {
  return new ValidationError(`${place} cannot be read: ${why}`, place);
}
