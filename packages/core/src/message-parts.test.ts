import { describe, expect, it } from 'vitest';
import { type MediaBlock, userMessage } from './message.ts';
import {
  bytesOfBase64,
  isPicture,
  mediaKind,
  mediaOf,
  messageFacts,
  partFacts,
  partText,
  shownMessage,
} from './message-parts.ts';

const image: MediaBlock = { type: 'image', mediaType: 'image/png', data: 'aGk=' };
const file: MediaBlock = { type: 'file', mediaType: 'application/pdf', data: 'aGk=', name: 'report.pdf' };
const link: MediaBlock = { type: 'link', mediaType: 'image/*', url: 'https://example.com/a' };
const message = userMessage([{ type: 'text', text: 'Look.' }, image, file, link]);

describe('userMessage()', () => {
  it('takes a text, or blocks', () => {
    expect(userMessage('Hi.').content).toEqual([{ type: 'text', text: 'Hi.' }]);
    expect(userMessage([image]).content).toEqual([image]);
  });
});

describe('mediaOf()', () => {
  it('leaves out the texts', () => {
    expect(mediaOf(message)).toEqual([image, file, link]);
  });
});

describe('isPicture()', () => {
  it('is true for bytes and addresses of pictures', () => {
    expect([image, file, link, { ...link, mediaType: 'application/pdf' }].map(isPicture)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('messageFacts()', () => {
  it('has the facts about the parts, and none of their bytes', () => {
    expect(messageFacts(message)).toEqual({
      messageId: message.id,
      content: 'Look.',
      parts: [
        { type: 'image', mediaType: 'image/png', bytes: 2 },
        { type: 'file', mediaType: 'application/pdf', bytes: 2, name: 'report.pdf' },
        { type: 'link', mediaType: 'image/*', url: 'https://example.com/a' },
      ],
    });
    expect(messageFacts(userMessage('Hi.'))).not.toHaveProperty('parts');
  });
});

describe('shownMessage()', () => {
  it('has a line for each part', () => {
    const lines = [
      'Look.',
      '[image/png, 2 bytes]',
      '[report.pdf, application/pdf, 2 bytes]',
      '[image/*, https://example.com/a]',
    ];

    expect(shownMessage(messageFacts(message))).toBe(lines.join('\n'));
    expect(shownMessage(messageFacts(userMessage([image])))).toBe('[image/png, 2 bytes]');
  });
});

describe('partText()', () => {
  it.each([
    [999, '999 bytes'],
    [12_345, '12 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [1_234_567, '1.2 MB'],
  ])('says %i bytes as %s', (bytes, text) => {
    expect(partText({ type: 'image', mediaType: 'image/png', bytes })).toBe(`image/png, ${text}`);
  });

  it('is about what partFacts() gives', () => {
    expect(partText(partFacts(file))).toBe('report.pdf, application/pdf, 2 bytes');
  });
});

describe('bytesOfBase64()', () => {
  it.each([0, 1, 2, 3, 4, 5])('counts %i bytes', (length) => {
    expect(bytesOfBase64(Buffer.alloc(length).toString('base64'))).toBe(length);
  });
});

describe('mediaKind()', () => {
  it.each([
    ['image/png', 'image'],
    ['audio/wav', 'audio'],
    ['application/pdf', 'pdf'],
    ['text/csv', 'text'],
    ['application/json', 'text'],
    ['application/ld+json', 'text'],
    ['application/zip', 'other'],
  ])('%s is %s', (mediaType, kind) => {
    expect(mediaKind(mediaType)).toBe(kind);
  });
});
