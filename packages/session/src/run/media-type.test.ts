import { describe, expect, it } from 'vitest';
import { contradicts, mediaTypeOf, mediaTypeOfUrl, plainMediaType } from './media-type.ts';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('mediaTypeOf()', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n...', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x01\x02\n\x04WEBPVP8 ', 'image/webp'],
    ['\0\0\0\x18ftypheic', 'image/heic'],
    ['\0\0\0\x18ftypmif1', 'image/heif'],
    ['\0\0\0\x18ftypavif', 'image/avif'],
    ['II*\0', 'image/tiff'],
    ['%PDF-1.7', 'application/pdf'],
    ['RIFF\x01\x02\x03\x04WAVEfmt ', 'audio/wav'],
    ['ID3\x04\0', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio/mpeg'],
    ['\xff\xf1\x50', 'audio/aac'],
    ['fLaC\0', 'audio/flac'],
    ['OggS\0', 'audio/ogg'],
    ['FORM\0\0\0\0AIFF', 'audio/aiff'],
    ['\0\0\0\x18ftypM4A ', 'audio/mp4'],
    ['ID3 is a format of tags', 'text/plain'],
    ['Plain \xc3\xa4', 'text/plain'],
    ['Not \xe4 text', undefined],
    ['Not\0text', undefined],
    ['\xff\xfeH\0', undefined],
  ])('finds %j to be %s', (start, mediaType) => {
    expect(mediaTypeOf(bytes(start))).toBe(mediaType);
  });
});

describe('contradicts()', () => {
  it.each([
    ['image/png', 'image/png', false, false],
    ['image/png', 'image/jpeg', false, true],
    ['image/png', 'text/plain', false, true],
    ['image/png', undefined, false, true],
    ['text/plain', 'application/pdf', true, true],
    ['text/csv', 'text/plain', true, false],
    ['text/csv', undefined, true, true],
    ['application/zip', undefined, false, false],
  ])('%s for bytes that are %s', (stated, found, isTextType, expected) => {
    expect(contradicts(stated, found, isTextType)).toBe(expected);
  });
});

describe('plainMediaType()', () => {
  it.each([
    ['Image/JPG', 'image/jpeg'],
    ['text/plain; charset=utf-8', 'text/plain'],
    ['audio/x-wav', 'audio/wav'],
    ['toString', 'tostring'],
  ])('%s is %s', (stated, plain) => {
    expect(plainMediaType(stated)).toBe(plain);
  });
});

describe('mediaTypeOfUrl()', () => {
  it.each([
    ['https://example.com/a.PNG?b=c.pdf', 'image/png'],
    ['https://example.com/a.pdf#page=2', 'application/pdf'],
    ['https://example.com/a.unknown', undefined],
    ['https://example.com/constructor.constructor', undefined],
    ['https://example.com', undefined],
  ])('of %s is %s', (url, mediaType) => {
    expect(mediaTypeOfUrl(url)).toBe(mediaType);
  });
});
