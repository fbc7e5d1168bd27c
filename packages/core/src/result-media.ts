import type { FileBlock, ImageBlock, ToolResultBlock } from './message.ts';

/** The images of a result, then its files. */
export function resultMedia({
  images = [],
  files = [],
}: Pick<ToolResultBlock, 'images' | 'files'>): readonly (ImageBlock | FileBlock)[] {
  return [...images, ...files];
}
