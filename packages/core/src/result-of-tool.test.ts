import { expect, it } from 'vitest';
import { toResult } from './define-tool.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'AA==' } as const;

it.each<[string, object, string]>([
  ['one that is no list', { images: image }, 'images'],
  [
    'an image without data',
    { images: [{ type: 'image', mediaType: 'image/png', url: 'https://a.b/c.png' }] },
    'images',
  ],
  ['a file among the images', { images: [{ ...image, type: 'file' }] }, 'images'],
  ['nothing', { files: [null] }, 'files'],
])('refuses a result whose images or files are %s', (_, media, field) => {
  const result = { output: 'seen', isError: false };

  expect(() => toResult({ ...result, ...media })).toThrow(
    expect.objectContaining({ field, message: expect.stringContaining('must be a list of { type:') }),
  );
  expect(toResult({ ...result, images: [image] })).toEqual({ ...result, images: [image] }); // negative control
});
