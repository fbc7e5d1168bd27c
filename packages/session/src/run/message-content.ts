import { basename } from 'node:path';
import { type Model, type UserMessage, ValidationError } from '@x/core';
import { type MediaBlock, mediaKind, partFacts, partText } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import type { UserContent } from '../options/user-content.ts';
import { contradicts, mediaTypeOf, mediaTypeOfUrl, plainMediaType } from './media-type.ts';
import { readPart, tooLarge } from './read-part.ts';

/** Bytes of one part. */
const MOST_BYTES = 20 * 1024 * 1024;
/** Bytes of all parts of a message. */
const MOST_TOGETHER = 32 * 1024 * 1024;
const MOST_PARTS = 100;
const MOST_URL = 8192;

type Media = Exclude<UserContent, { readonly type: 'text' }>;
/** The model that will be asked, as far as it is known. */
export type AskedModel = Pick<Model, 'name' | 'reads'>;

const SOURCE = {
  type: is.anything,
  mediaType: is.rule('a media type such as image/png', (value) => /^[\w.+-]+\/[\w.+*-]+(?:;.*)?$/.test(String(value))),
  data: is.secret(is.rule('bytes or base64', (value) => typeof value === 'string' || value instanceof Uint8Array)),
  path: is.filePath,
  url: is.rule(`an http(s) address of at most ${MOST_URL} characters, without user name and password`, isAddress),
};
const PART = is.typed({
  text: is.nested({ type: is.anything, text: is.required(is.filledText) }),
  image: is.nested(SOURCE),
  file: is.nested({ ...SOURCE, name: is.filledText }),
});
const CONTENT = is.required(
  is.either(
    is.filledText,
    is.rule(
      'a list of parts',
      (value) => Array.isArray(value) && value.length > 0,
      (value, path) => {
        checkValue(path, value, is.listOf(PART));
        const parts = value as readonly UserContent[]; // safe: each was checked
        if (parts.length > MOST_PARTS)
          throw new ValidationError(`${path} has ${parts.length} parts; send at most ${MOST_PARTS}`, path);
        for (const [index, part] of parts.entries()) if (part.type !== 'text') checkSource(part, `${path}[${index}]`);
      },
    ),
    'a text that is not empty, or a list of parts',
  ),
);

/** Checks the shape of a message that is sent. @throws ValidationError */
export function checkMessage(message: unknown): asserts message is string | readonly UserContent[] {
  checkValue('message', message, CONTENT);
}

/**
 * The content of a message of these parts, which have the right shape. Bytes are copied now, files are read when the function that it
 * returns is called. @throws ValidationError, SessionError `ENTRY_TOO_LARGE`
 */
export function messageContent(
  parts: readonly UserContent[],
  model: AskedModel | undefined,
): () => Promise<UserMessage['content']> {
  const taken = parts.map((part, index) => (part.type === 'text' ? part : copied(part, `message[${index}]`)));
  return async () => {
    let room = MOST_TOGETHER;
    const content: UserMessage['content'][number][] = [];
    for (const [index, part] of taken.entries()) {
      if (part.type === 'text') {
        content.push({ type: 'text', text: part.text });
        continue;
      }
      const place = `message[${index}]`;
      const { block, bytes } = await mediaBlock(part, place, Math.min(room, MOST_BYTES));
      room -= bytes;
      if (model?.reads && !model.reads(block)) throw unreadableBy(model.name, block, { place, model });
      content.push(block);
    }
    return content;
  };
}

function checkSource(part: Media, place: string): void {
  const named = (['data', 'path', 'url'] as const).filter((source) => part[source] !== undefined);
  if (named.length !== 1) throw new ValidationError(`${place} must have one of data, path and url`, place);
}

/** A part whose bytes nobody changes any more. */
function copied(part: Media, place: string): Media {
  if (part.data === undefined) return part;
  const { data } = part;
  const size = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : data.length;
  if (size > MOST_BYTES + 2) throw tooLarge(place, size, MOST_BYTES);
  if (typeof data !== 'string') return { ...part, data: data.slice() };
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') === data) return { ...part, data: bytes };
  throw new ValidationError(
    `${place}.data is no base64, which has padding and neither line ends nor a data: in front`,
    `${place}.data`,
  );
}

async function mediaBlock(part: Media, place: string, room: number): Promise<{ block: MediaBlock; bytes: number }> {
  if (part.url !== undefined) return { block: linkBlock(part, part.url, place), bytes: 0 };
  const bytes = part.path === undefined ? (part.data as Uint8Array) : await readPart(part.path, room, `${place}.path`); // safe: copied
  if (bytes.length > room) throw tooLarge(place, bytes.length, room);
  if (bytes.length === 0) throw new ValidationError(`${place} is empty`, place);
  const mediaType = settledType(part, bytes, place);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  if (mediaKind(mediaType) === 'image') return { block: { type: 'image', mediaType, data }, bytes: bytes.length };
  if (part.type === 'image') {
    throw new ValidationError(`${place} is ${mediaType} and no picture; send it as { type: 'file' }`, place);
  }
  const name = part.name ?? (part.path === undefined ? undefined : basename(part.path));
  return { block: { type: 'file', mediaType, data, ...(name === undefined ? {} : { name }) }, bytes: bytes.length };
}

/** @throws ValidationError for a stated type that the bytes contradict */
function settledType({ mediaType }: Media, bytes: Uint8Array, place: string): string {
  const found = mediaTypeOf(bytes);
  if (mediaType === undefined) return found ?? 'application/octet-stream';
  const stated = plainMediaType(mediaType);
  if (!contradicts(stated, found, mediaKind(stated) === 'text')) return stated;
  const seen = found === undefined ? 'bytes of no known kind' : found;
  const field = `${place}.mediaType`;
  throw new ValidationError(`${field} says ${stated}, and the bytes are ${seen}; leave it out`, field);
}

function linkBlock(part: Media, url: string, place: string): MediaBlock {
  const stated = part.mediaType === undefined ? mediaTypeOfUrl(url) : plainMediaType(part.mediaType);
  const mediaType = stated ?? (part.type === 'image' ? 'image/*' : undefined);
  if (mediaType === undefined) {
    const field = `${place}.mediaType`;
    throw new ValidationError(`${field} is needed: the address does not end in what tells the kind of file`, field);
  }
  if (part.type === 'image' && mediaKind(mediaType) !== 'image') {
    throw new ValidationError(`${place} is ${mediaType} and no picture; send it as { type: 'file' }`, place);
  }
  const name = part.type === 'file' && part.name !== undefined ? { name: part.name } : {};
  return { type: 'link', url, mediaType, ...name };
}

function unreadableBy(
  name: string,
  block: MediaBlock,
  { place, model }: { readonly place: string; readonly model: AskedModel },
): ValidationError {
  const what = `${place} (${partText(partFacts(block))})`;
  const { mediaType } = block;
  const bytes: MediaBlock =
    mediaKind(mediaType) === 'image' ? { type: 'image', mediaType, data: '' } : { type: 'file', mediaType, data: '' };
  const advice =
    block.type === 'link' && model.reads?.(bytes)
      ? 'it takes no address of this kind; send the bytes as data or path'
      : 'choose another model, or say in text what it shows';
  return new ValidationError(`The model ${name} cannot read ${what}: ${advice}`, place);
}

function isAddress(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MOST_URL || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
