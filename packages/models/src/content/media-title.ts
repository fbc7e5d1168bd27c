import type { ToolResultBlock } from '@x/core';

/** The beginning of the line above the images and files of a result, where they cannot stand in it. */
export function mediaTitle({ images = [], files = [] }: ToolResultBlock): string {
  if (files.length === 0) return 'Images of the result';
  return `${images.length === 0 ? 'Files' : 'Images and files'} of the result`;
}
