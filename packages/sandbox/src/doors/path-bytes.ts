import { isUtf8 } from 'node:buffer';
import { ValidationError } from '@x/core';

/** The bytes of a path, each as one character from U+0000 to U+00FF: `node:path` works on it, and every name stays as it is. */
export type BytePath = string;

/** A byte that is no UTF-8 is U+DC00 plus the byte, alone: PEP 383, "surrogateescape". */
const ESCAPE = 0xdc00;

/** The bytes that a path stands for. @throws ValidationError on half a character that is no escaped byte */
export function bytesOfPath(path: string): BytePath {
  if (path.isWellFormed()) return Buffer.from(path).toString('latin1');
  const parts = path.split(/(\p{Surrogate})/u); // with the flag u only halves that are alone
  return parts.map((part, index) => (index % 2 === 1 ? byteOf(part) : Buffer.from(part).toString('latin1'))).join('');
}

function byteOf(half: string): string {
  const byte = half.charCodeAt(0) - ESCAPE;
  if (byte >= 0x80 && byte <= 0xff) return String.fromCharCode(byte);
  throw new ValidationError('A path must not hold half a character; U+DC80 to U+DCFF stand for single bytes', 'path');
}

/** A path as text; `bytesOfPath` gives the same bytes again. */
export function textOfPath(path: BytePath): string {
  const bytes = Buffer.from(path, 'latin1');
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((some) => at + some <= bytes.length && isUtf8(bytes.subarray(at, at + some)));
    text += length ? bytes.toString('utf8', at, at + length) : String.fromCharCode(ESCAPE + bytes[at]!);
    at += length ?? 1;
  }
  return text;
}

/** The form of a path that `node:fs` takes. */
export function systemPath(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}
