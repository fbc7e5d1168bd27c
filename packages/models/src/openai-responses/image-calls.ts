import type { AssistantMessage, ImageBlock } from '@x/core';
import { replyPicture } from '../content/reply-pictures.ts';
import { carried, carriedOf, type Fields } from './carried-item.ts';

/** A call of the service's image generation, whose result is a picture in base64. */
const IMAGE_CALL = 'image_generation_call';
/** Stands for the picture, which the block has. */
const ELSEWHERE = '';
/** By `output_format`, where the type is not named so. */
const TYPES = new Map([['svg', 'image/svg+xml']]);

/** The picture of a call of image generation, and the call without it; undefined for another item, and for one without a picture. */
export function pictureOf(
  item: Fields,
): { readonly call: Fields; readonly picture: AssistantMessage['content'][number] } | undefined {
  if (!hasPicture(item)) return undefined;
  const { result, output_format: format } = item;
  const name = typeof format === 'string' && /^[a-z]+$/.test(format) ? format : 'png';
  const mediaType = TYPES.get(name) ?? `image/${name}`;
  const picture = replyPicture({ type: 'image', mediaType, data: result, providerData: carried({ isResult: true }) });
  return { call: { ...item, result: ELSEWHERE }, picture };
}

/** True for a call of image generation with its picture. */
export function hasPicture(item: Fields): item is Fields & { readonly result: string } {
  const { type, result } = item;
  return type === IMAGE_CALL && typeof result === 'string' && result !== '';
}

/** Gives the call its picture again. */
export function addPicture(call: Record<string, unknown> | undefined, block: ImageBlock): void {
  if (call?.['type'] === IMAGE_CALL && carriedOf(block)?.isResult) call['result'] = block.data;
}

/** The items as the service takes them: without calls whose pictures are gone, and without what it says of them (`Unknown parameter: action`). */
export function withPictures(items: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return items.flatMap((item) => {
    if (item['type'] !== IMAGE_CALL) return [item];
    const { type, id, status, result } = item;
    return result === ELSEWHERE ? [] : [{ type, id, status, result }];
  });
}
