import type { AssistantMessage, ImageBlock } from '@x/core';
import { replyPicture } from '../content/reply-pictures.ts';
import { carried, carriedOf, type Fields } from './carried-item.ts';

/** A call of the service's image generation, whose result is a picture in base64. */
export const IMAGE_CALL = 'image_generation_call';
/** Stands for the picture, which the block has. */
const ELSEWHERE = '';
/** By `output_format`, where the type is not named so. */
const TYPES = new Map([['svg', 'image/svg+xml']]);

/** The picture of a call of image generation, and the call without it; undefined for another item, and for one without a picture. */
export function pictureOf(
  item: Fields,
): { readonly call: Fields; readonly picture: AssistantMessage['content'][number] } | undefined {
  const { type, result, output_format: format } = item;
  if (type !== IMAGE_CALL || typeof result !== 'string' || result === '') return undefined;
  const name = typeof format === 'string' && /^[a-z]+$/.test(format) ? format : 'png';
  const mediaType = TYPES.get(name) ?? `image/${name}`;
  const picture = replyPicture({ type: 'image', mediaType, data: result, providerData: carried({ isResult: true }) });
  return { call: { ...item, result: ELSEWHERE }, picture };
}

/** Gives the call its picture again. */
export function addPicture(call: Record<string, unknown> | undefined, block: ImageBlock): void {
  if (call?.['type'] === IMAGE_CALL && carriedOf(block)?.isResult) call['result'] = block.data;
}

/** True for a call whose picture is gone. */
export function lacksPicture({ type, result }: Fields): boolean {
  return type === IMAGE_CALL && result === ELSEWHERE;
}
