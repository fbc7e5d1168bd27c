import { describe, expect, it } from 'vitest';
import { pageText } from './page-text.ts';

const url = new URL('https://a.example/');
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string) => new Uint8Array(Uint16Array.from(`\uFEFF${text}`, (one) => one.charCodeAt(0)).buffer);
const shift_jis = Uint8Array.of(0x93, 0xfa, 0x96, 0x7b);

describe('pageText', () => {
  it.each([
    ['text/plain', utf8('größe'), 'größe'],
    ['text/plain; charset=iso-8859-1', latin1('größe'), 'größe'],
    ['text/plain; charset="ISO-8859-1"', latin1('größe'), 'größe'],
    ['text/plain; charset=shift_jis', shift_jis, '日本'],
    ['text/plain; charset=nonsense', utf8('größe'), 'größe'],
    ['text/plain; charset=iso-8859-1', utf16('größe'), 'größe'],
    ['text/plain; charset=latin1', Uint8Array.of(0xfe, 0xff, 0, 0x61, 0, 0xf6), 'aö'],
    ['text/plain; charset=latin1', Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8('größe')), 'größe'],
    ['TEXT/Plain', utf8('größe'), 'größe'],
    ['text/html', latin1('<meta charset=latin1><p>größe'), 'größe'],
    ['text/html', latin1('<meta http-equiv="a" content="text/html; charset=iso-8859-1"><p>größe'), 'größe'],
    ['text/html; charset=utf-8', utf8('<meta charset=latin1><p>größe'), 'größe'],
    ['', utf8(' <!DOCTYPE html><p>größe'), 'größe'],
    ['application/json', utf8('{"a":"<b>"}'), '{"a":"<b>"}'],
    ['application/ld+json; charset=utf-8', utf8('{}'), '{}'],
    ['text/markdown', utf8('# <b>'), '# <b>'],
    ['image/svg+xml', utf8('<svg/>'), '<svg/>'],
    ['application/octet-stream', utf8('plain all the same'), 'plain all the same'],
  ])('reads %s', async (contentType, bytes, text) => {
    expect((await pageText({ bytes, contentType, url }))?.trim()).toBe(text);
  });

  it.each([
    ['image/png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47)],
    ['application/pdf', Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xff)],
    ['', Uint8Array.of(0, 1)],
    ['text/plain', Uint8Array.of(0x61, 0, 0x62)],
  ])('has no text for %j', async (contentType, bytes) => {
    expect(await pageText({ bytes, contentType, url })).toBeUndefined();
  });
});
