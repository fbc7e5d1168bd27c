import type { ImageBlock } from '@x/core';
import { recordOf, textIn } from '../wire/json-values.ts';

/** The picture in a file of a reply: its data is base64 or bytes, since version 4 in an object that says so. Undefined for another file. */
export function pictureIn(part: Readonly<Record<string, unknown>>): ImageBlock | undefined {
  const mediaType = textIn(part['mediaType']);
  const given = part['data'];
  const data = given instanceof Uint8Array ? given : (recordOf(given)?.['data'] ?? given);
  if (!mediaType.startsWith('image/')) return undefined;
  if (data instanceof Uint8Array) return { type: 'image', mediaType, data: Buffer.from(data).toString('base64') };
  return typeof data === 'string' ? { type: 'image', mediaType, data } : undefined;
}
