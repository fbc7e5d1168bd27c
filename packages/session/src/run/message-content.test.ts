import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserContent } from '../options/user-content.ts';
import { type AskedModel, checkMessage, messageContent } from './message-content.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n...', 'latin1');
const PDF = Buffer.from('%PDF-1.7 ...');
const url = 'https://example.com/a';
const made = (parts: readonly UserContent[], model?: AskedModel) => messageContent(parts, model)();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'x-content-'));
  writeFileSync(join(folder, 'report.pdf'), PDF);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('messageContent()', () => {
  it('takes bytes, base64 and files, and finds out what they are', async () => {
    const content = await made([
      { type: 'text', text: 'Look.' },
      { type: 'image', data: PNG },
      { type: 'image', data: PNG.toString('base64'), mediaType: 'image/png' },
      { type: 'file', path: join(folder, 'report.pdf') },
      { type: 'file', path: join(folder, 'report.pdf'), name: 'other.pdf' },
      { type: 'file', data: Buffer.from('a,b'), mediaType: 'text/csv; charset=utf-8' },
      { type: 'file', data: PNG, name: 'a.png' },
      { type: 'file', data: Uint8Array.of(0, 1) },
    ]);

    const image = { type: 'image', mediaType: 'image/png', data: PNG.toString('base64') };
    const pdf = { type: 'file', mediaType: 'application/pdf', data: PDF.toString('base64') };
    expect(content).toEqual([
      { type: 'text', text: 'Look.' },
      image,
      image,
      { ...pdf, name: 'report.pdf' },
      { ...pdf, name: 'other.pdf' },
      { type: 'file', mediaType: 'text/csv', data: 'YSxi' },
      image,
      { type: 'file', mediaType: 'application/octet-stream', data: 'AAE=' },
    ]);
  });

  it('keeps addresses as they are, and fetches nothing', async () => {
    const content = await made([
      { type: 'image', url },
      { type: 'image', url: `${url}.webp` },
      { type: 'file', url: `${url}.pdf`, name: 'a' },
      { type: 'file', url, mediaType: 'audio/mp3' },
    ]);

    expect(content).toEqual([
      { type: 'link', url, mediaType: 'image/*' },
      { type: 'link', url: `${url}.webp`, mediaType: 'image/webp' },
      { type: 'link', url: `${url}.pdf`, mediaType: 'application/pdf', name: 'a' },
      { type: 'link', url, mediaType: 'audio/mpeg' },
    ]);
  });

  it('has the bytes as they were when it was called', async () => {
    const bytes = Uint8Array.from(PNG);
    const content = messageContent([{ type: 'image', data: bytes }], undefined);

    bytes.fill(0);

    expect(await content()).toMatchObject([{ data: PNG.toString('base64') }]);
  });

  it.each<[string, UserContent]>([
    [
      'message[0].mediaType says image/jpeg, and the bytes are image/png; leave it out',
      { type: 'image', data: PNG, mediaType: 'image/jpeg' },
    ],
    [
      'message[0].mediaType says image/png, and the bytes are bytes of no known kind; leave it out',
      { type: 'image', data: Uint8Array.of(0, 1), mediaType: 'image/png' },
    ],
    ["message[0] is application/pdf and no picture; send it as { type: 'file' }", { type: 'image', data: PDF }],
    ["message[0] is application/pdf and no picture; send it as { type: 'file' }", { type: 'image', url: `${url}.pdf` }],
    ['message[0] is empty', { type: 'image', data: new Uint8Array() }],
    [
      'message[0].data is no base64, which has padding and neither line ends nor a data: in front',
      { type: 'image', data: 'data:image/png;base64,AAAA' },
    ],
    ['message[0].mediaType is needed: the address does not end in what tells the kind of file', { type: 'file', url }],
  ])('refuses: %s', async (message, part) => {
    await expect((async () => await made([part]))()).rejects.toMatchObject({ name: 'ValidationError', message });
  });

  it('refuses files that are missing, or are none', async () => {
    await expect(made([{ type: 'file', path: join(folder, 'none') }])).rejects.toMatchObject({
      name: 'ValidationError',
      field: 'message[0].path',
      message: expect.stringContaining('ENOENT'),
    });
    await expect(made([{ type: 'file', path: folder }])).rejects.toThrow('is not a file');
  });

  it.skipIf(process.platform === 'win32')(
    'does not wait for a pipe (not on Windows, which has none with a name in a directory)',
    async () => {
      const path = join(folder, 'pipe');
      execFileSync('mkfifo', [path]);

      await expect(made([{ type: 'file', path }])).rejects.toThrow(`${path} is not a file`);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'reads no more of a file than its size was (Linux: by a file of /proc)',
    async () => {
      await expect(made([{ type: 'file', path: '/proc/self/status' }])).rejects.toThrow('it grows while it is read');
    },
  );

  it('refuses what is too large, before it is read (control: as much as is allowed)', async () => {
    const path = join(folder, 'large');
    const most = 20 * 1024 * 1024;
    writeFileSync(path, '');
    const tooLarge = (place: string) => ({
      code: 'ENTRY_TOO_LARGE',
      message: expect.stringContaining(`${place} has `),
    });

    truncateSync(path, most + 1);
    await expect(made([{ type: 'file', path }])).rejects.toMatchObject(tooLarge('message[0].path'));
    expect(() => messageContent([{ type: 'file', data: new Uint8Array(most + 3) }], undefined)).toThrow(
      expect.objectContaining(tooLarge('message[0]')),
    );
    await expect(made([{ type: 'file', data: new Uint8Array(most + 1) }])).rejects.toMatchObject(
      tooLarge('message[0]'),
    );
    truncateSync(path, most);
    expect(await made([{ type: 'file', path }])).toHaveLength(1);
    await expect(
      made([
        { type: 'file', path },
        { type: 'file', path },
      ]),
    ).rejects.toMatchObject(tooLarge('message[1].path'));
  });

  it('refuses what the model is known not to read, by its name (control: a model of which nothing is known)', async () => {
    const model = { name: 'gpt-4', reads: ({ type }: { type: string }) => type === 'image' };
    const refused = (part: UserContent) => made([part], model);

    await expect(refused({ type: 'file', path: join(folder, 'report.pdf') })).rejects.toMatchObject({
      name: 'ValidationError',
      field: 'message[0]',
      message:
        'The model gpt-4 cannot read message[0] (report.pdf, application/pdf, 12 bytes): choose another model, or say in text what it shows',
    });
    await expect(refused({ type: 'image', url })).rejects.toThrow(
      `The model gpt-4 cannot read message[0] (image/*, ${url}): it takes no address of this kind; send the bytes as data or path`,
    );
    await expect(refused({ type: 'file', url, mediaType: 'text/plain' })).rejects.toThrow('choose another model');
    expect(await made([{ type: 'image', url }], { name: 'own' })).toHaveLength(1);
  });
});

describe('checkMessage()', () => {
  it.each<[string, unknown]>([
    ['message must be a text that is not empty, or a list of parts, not ""', ''],
    ['message must be a text that is not empty, or a list of parts, not a list', []],
    ['message must be a text that is not empty, or a list of parts, not 7', 7],
    ['message[0] must be an object, not "Hi."', ['Hi.']],
    ['message[0].type must be one of text, image, file, not "video"', [{ type: 'video' }]],
    ['message[0].text must be a text that is not empty, not ""', [{ type: 'text', text: '' }]],
    ['message[0] must have one of data, path and url', [{ type: 'image' }]],
    ['message[0] must have one of data, path and url', [{ type: 'image', data: 'AAAA', url }]],
    ['message[0].data must be bytes or base64', [{ type: 'image', data: 7 }]],
    [
      'message[0].mediaType must be a media type such as image/png, not "png"',
      [{ type: 'image', mediaType: 'png', data: 'AAAA' }],
    ],
    ['message has 101 parts; send at most 100', Array.from({ length: 101 }, () => ({ type: 'text', text: 'a' }))],
    ...[
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      'https://me:secret@example.com',
      7,
      `${url}${'a'.repeat(8192)}`,
    ].map((address): [string, unknown] => [
      'message[0].url must be an http(s) address of at most 8192 characters, without user name and password',
      [{ type: 'image', url: address }],
    ]),
  ])('refuses: %s', (message, given) => {
    expect(() => checkMessage(given)).toThrow(
      expect.objectContaining({ name: 'ValidationError', message: expect.stringContaining(message) }),
    );
  });

  it('refuses unknown fields, and names the nearest one', () => {
    expect(() => checkMessage([{ type: 'image', dat: 'AAAA' }])).toThrow('dat');
  });
});
