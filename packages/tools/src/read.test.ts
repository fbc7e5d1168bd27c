import { fc, test } from '@fast-check/vitest';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../test/call-tool.ts';
import { readTool } from './read.ts';

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0);

function read(content: string | Uint8Array, range: { offset?: number; limit?: number } = {}) {
  return callTool(readTool(), { file_path: 'a.txt', ...range }, memoryWorkspace({ files: { 'a.txt': content } }));
}

describe('Read', () => {
  it('numbers the lines from 1, as cat -n does', async () => {
    expect(await read('one\ntwo\n')).toMatchObject({ output: '     1\tone\n     2\ttwo', isError: false });
  });

  it('shows a range and tells how to read on', async () => {
    const { output } = await read('1\n2\n3\n4\n5', { offset: 2, limit: 2 });

    expect(output).toBe('     2\t2\n     3\t3\n\n[Lines 2 to 3 of 5 are shown. Read on with offset 4.]');
  });

  it('shows 2000 lines unless told otherwise', async () => {
    const { output } = await read('x\n'.repeat(2_001));

    expect(output).toContain('  2000\tx\n\n[Lines 1 to 2000 of 2,001 are shown. Read on with offset 2001.]');
  });

  it('cuts a long line and says so', async () => {
    const { output } = await read(`${'x'.repeat(5_000)}\nnext`);

    expect(output).toBe(`     1\t${'x'.repeat(2_000)}… [line cut: it has 5,000 characters]\n     2\tnext`);
  });

  it('stays below 30,000 characters, at the end of a line', async () => {
    const { output } = await read(`${'x'.repeat(100)}\n`.repeat(1_000));

    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output).toMatch(
      /x\n\n\[Lines 1 to (\d+) of 1,000 are shown \(30,000 characters is the most\)\. Read on with offset \d+\.\]$/,
    );
  });

  it('shows CRLF without CR and leaves out a byte order mark', async () => {
    expect((await read('\uFEFFone\r\ntwo\r\n')).output).toBe('     1\tone\n     2\ttwo');
  });

  it('says that a file is empty', async () => {
    expect(await read('')).toMatchObject({ output: 'a.txt is empty.', isError: false });
  });

  it('says how many lines there are when the offset is past the end', async () => {
    expect(await read('1\n2\n', { offset: 3 })).toMatchObject({
      output: 'a.txt has 2 lines; offset 3 is past its end.',
      isError: true,
    });
  });

  it('names similar files when one is missing', async () => {
    const workspace = memoryWorkspace({ files: { 'src/errors.ts': '', 'src/error.ts': '', 'src/zebra.ts': '' } });

    const { output, isError } = await callTool(readTool(), { file_path: 'src/erors.ts' }, workspace);

    expect(isError).toBe(true);
    expect(output).toBe(
      'src/erors.ts does not exist (relative paths start at /workspace). Did you mean errors.ts or error.ts?',
    );
  });

  it('says when the directory is missing too', async () => {
    const { output } = await callTool(readTool(), { file_path: 'no/a.txt' }, memoryWorkspace());

    expect(output).toBe('no/a.txt does not exist; neither does the directory /workspace/no.');
  });

  it.each([
    ['a directory', { 'a.txt/b': '' }, 'directory'],
    ['a file with a NUL', { 'a.txt': 'a\0b' }, 'binary'],
    ['a file that is not UTF-8', { 'a.txt': Uint8Array.of(0xff, 0xfe, 65) }, 'binary'],
    ['a very large file', { 'a.txt': new Uint8Array(33 * 1024 * 1024) }, 'too many to read'],
  ])('refuses %s', async (_, files, reason) => {
    const result = await callTool(readTool(), { file_path: 'a.txt' }, memoryWorkspace({ files }));

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining(reason) });
  });

  it('reads through a link', async () => {
    const workspace = memoryWorkspace({ files: { 'a.txt': 'text' } });
    await workspace.makeLink('link', 'a.txt');

    expect((await callTool(readTool(), { file_path: 'link' }, workspace)).output).toBe('     1\ttext');
  });

  it.each([
    ['image/png', PNG],
    ['image/jpeg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['image/gif', new TextEncoder().encode('GIF89a....')],
    ['image/webp', new TextEncoder().encode('RIFF1234WEBPVP8 ')],
  ])('shows %s', async (mediaType, bytes) => {
    const { images, output } = await read(bytes);

    expect(images).toEqual([{ type: 'image', mediaType, data: Buffer.from(bytes).toString('base64') }]);
    expect(output).toContain(mediaType);
  });

  it('shows a PDF', async () => {
    const bytes = new TextEncoder().encode('%PDF-1.7 a b c');

    expect(await read(bytes)).toMatchObject({
      isError: false,
      output: expect.stringContaining('application/pdf, 14 bytes'),
      files: [{ type: 'file', mediaType: 'application/pdf', data: Buffer.from(bytes).toString('base64') }],
    });
  });

  it('refuses a PDF that is too large to go along with each request', async () => {
    const large = new Uint8Array(10_000_001);
    large.set(new TextEncoder().encode('%PDF-1.7'));

    expect(await read(large)).toMatchObject({ isError: true, output: expect.stringContaining('Take the pages') });
  });

  it('refuses an image that no model takes', async () => {
    const large = new Uint8Array(4_000_000);
    large.set(PNG);

    expect(await read(large)).toMatchObject({ isError: true, output: expect.stringContaining('Make it smaller') });
  });

  it('may run beside other calls, and names its path for permission rules', () => {
    const tool = readTool();

    expect(tool).toMatchObject({ kind: 'readonly', effect: 'pure', parallelSafe: true, streaming: false });
    expect(tool.subject?.({ file_path: '.env' })).toEqual({ type: 'paths', paths: ['.env'] });
  });

  test.prop([
    fc.array(fc.string({ unit: fc.constantFrom('a', 'ß', '€', '😀', ' ', '\t'), maxLength: 12 }), {
      minLength: 1,
      maxLength: 30,
      size: 'max',
    }),
    fc.nat(40),
    fc.integer({ min: 1, max: 40 }),
  ])('shows exactly the lines of the range, each with its number', async (lines, skipped, limit) => {
    const { output, isError } = await read(`${lines.join('\n')}\n`, { offset: skipped + 1, limit });
    const shown = output.split('\n\n[')[0]!.split('\n');

    const expected = lines.slice(skipped, skipped + limit).map((line, index) => {
      return `${String(skipped + 1 + index).padStart(6)}\t${line}`;
    });
    expect(isError).toBe(skipped >= lines.length);
    if (!isError) expect(shown).toEqual(expected);
  });
});
