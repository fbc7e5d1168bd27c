import { AbortError } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../test/call-tool.ts';
import { type GrepInput, grepTool } from './grep.ts';

async function grep(files: Readonly<Record<string, string | Uint8Array>>, input: GrepInput) {
  const { output, isError } = await callTool(grepTool(), input, memoryWorkspace({ files }));
  return { output, isError };
}

const LETTERS = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n';

describe('Grep', () => {
  it('shows path, number and line, sorted by path', async () => {
    const { output } = await grep({ 'b.txt': 'x\nhit 1\n', 'a/c.txt': 'hit 2', 'a.txt': 'hit 3' }, { pattern: 'hit' });

    expect(output).toBe('a.txt:1:hit 3\na/c.txt:1:hit 2\nb.txt:2:hit 1');
  });

  it('lists files, or counts lines', async () => {
    const files = { a: 'x\nx\ny', b: 'y', c: 'xx' };

    expect((await grep(files, { pattern: 'x', output_mode: 'files_with_matches' })).output).toBe('a\nc');
    expect((await grep(files, { pattern: 'x', output_mode: 'count' })).output).toBe('a:2\nc:1');
  });

  it('shows context, and -- between what is not together', async () => {
    const { output } = await grep({ f: LETTERS, g: 'e' }, { pattern: '^[beh]$', context: 1 });

    const shown = ['f-1-a', 'f:2:b', 'f-3-c', 'f-4-d', 'f:5:e', 'f-6-f', 'f-7-g', 'f:8:h', 'f-9-i', '--', 'g:1:e'];
    expect(output.split('\n')).toEqual(shown);
    expect((await grep({ f: LETTERS }, { pattern: '[bh]', context: 1 })).output).toBe(
      'f-1-a\nf:2:b\nf-3-c\n--\nf-7-g\nf:8:h\nf-9-i',
    );
  });

  it('stops at limit and says that there is more', async () => {
    const { output } = await grep({ f: 'x\nx\nx', g: 'x' }, { pattern: 'x', limit: 2 });

    expect(output).toBe(
      'f:1:x\nf:2:x\n\n[Stopped after 2 matching lines; there are more. Narrow pattern, path or glob, or raise limit.]',
    );
  });

  it.each([
    ['content', 'f:1:x\ng:1:x'],
    ['count', 'f:1\ng:1'],
    ['files_with_matches', 'f\ng'],
  ] as const)('says nothing about more when the limit is just met (%s)', async (output_mode, expected) => {
    expect((await grep({ f: 'x', g: 'x' }, { pattern: 'x', limit: 2, output_mode })).output).toBe(expected);
    const { output } = await grep({ f: 'x', g: 'x', h: 'x' }, { pattern: 'x', limit: 2, output_mode });
    expect(output).toContain(`${expected}\n\n[Stopped after 2`);
  });

  it('stays below 30,000 characters', async () => {
    const { output } = await grep({ f: `${'x'.repeat(400)}\n`.repeat(200) }, { pattern: 'x' });

    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output).toContain('[Stopped at 30,000 characters; there is more.');
  });

  it('cuts a long line', async () => {
    expect((await grep({ f: 'x'.repeat(9_000) }, { pattern: 'x' })).output).toMatch(
      /^f:1:x{500}… \[line cut: it has 9,000 characters\]$/,
    );
  });

  it('searches dot files, but neither .git nor what is ignored nor binary files', async () => {
    const files = { '.gitignore': 'out/\n', 'out/a': 'hit', '.git/a': 'hit', '.env': 'hit', b: 'hit\0', c: 'hit' };

    expect((await grep(files, { pattern: 'hit', output_mode: 'files_with_matches' })).output).toBe('.env\nc');
  });

  it('uses the ignore rules above the searched directory, unless it is ignored itself', async () => {
    const files = { '.gitignore': '*.log\nout/', 'src/a.log': 'hit', 'src/a': 'hit', 'out/b': 'hit' };

    expect((await grep(files, { pattern: 'hit', path: 'src' })).output).toBe('src/a:1:hit');
    expect((await grep(files, { pattern: 'hit', path: 'out' })).output).toBe('out/b:1:hit');
    expect((await grep(files, { pattern: 'hit', path: 'src/a.log' })).output).toBe('src/a.log:1:hit');
  });

  it('chooses files by glob, also by what they are not', async () => {
    const files = { 'a.ts': 'x', 'a.test.ts': 'x', 'd/b.ts': 'x', 'c.md': 'x' };
    const chosen = async (glob: string) =>
      (await grep(files, { pattern: 'x', glob, output_mode: 'files_with_matches' })).output;

    expect(await chosen('*.ts')).toBe('a.test.ts\na.ts\nd/b.ts');
    expect(await chosen('d/*')).toBe('d/b.ts');
    expect(await chosen('!*.ts')).toBe('c.md');
  });

  it('sees CRLF as the end of a line and does not show it', async () => {
    expect((await grep({ f: 'one\r\ntwo\r\n' }, { pattern: 'one$' })).output).toBe('f:1:one');
  });

  it('finds what it can in a file that is not UTF-8', async () => {
    const latin1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a);

    expect((await grep({ f: latin1 }, { pattern: 'caf' })).output).toBe('f:1:caf\uFFFD');
    expect((await grep({ f: latin1 }, { pattern: 'caf.' })).output).toBe('No matches.');
  });

  it('passes over files that cannot be read, but for one that is named', async () => {
    const workspace = memoryWorkspace({ files: { a: 'hit', b: 'hit' } });
    const readFile = (path: string) =>
      path.endsWith('a') ? Promise.reject(new Error('denied')) : workspace.readFile(path);

    expect((await callTool(grepTool(), { pattern: 'hit' }, { ...workspace, readFile })).output).toBe('b:1:hit');
    const named = callTool(grepTool(), { pattern: 'hit', path: 'a' }, { ...workspace, readFile });
    await expect(named).rejects.toThrow('denied'); // not "No matches."
  });

  it('ignores capitals when asked to', async () => {
    expect((await grep({ f: 'ÄB' }, { pattern: 'äb', case_insensitive: true })).output).toBe('f:1:ÄB');
    expect((await grep({ f: 'ÄB' }, { pattern: '(?i)äb' })).output).toBe('f:1:ÄB');
    expect((await grep({ f: 'ÄB' }, { pattern: 'äb' })).output).toBe('No matches.');
  });

  it.each([
    [{ pattern: 'x', path: 'missing' }, 'missing does not exist'],
    [{ pattern: '(?=x)' }, 'look-around is not'],
    [{ pattern: '(a)\\1' }, 'back references'],
    [{ pattern: '(' }, 'Unterminated group'],
    [{ pattern: '(a{999}){999}' }, 'too large'],
    [{ pattern: 'x', glob: '{a,b}'.repeat(20) }, 'too many alternatives'],
  ])('refuses %j', async (input, reason) => {
    expect(await grep({ f: 'x' }, input)).toMatchObject({ isError: true, output: expect.stringContaining(reason) });
  });

  it('answers a hostile pattern', async () => {
    const { output } = await grep({ f: 'a'.repeat(50_000) }, { pattern: '(a+)+(a|aa)*b', output_mode: 'count' });

    expect(output).toBe('No matches.');
  });

  it('stops when it is aborted, also in the middle of a file', async () => {
    const files = { f: `${'x'.repeat(100)}\n`.repeat(100_000) };
    const abort = new AbortController();
    const running = callTool(grepTool(), { pattern: '[yz]' }, memoryWorkspace({ files }), abort.signal);

    setTimeout(() => abort.abort(), 5);

    await expect(running).rejects.toBeInstanceOf(AbortError);
  });

  it('says when its room is used up, and how to ask for less', async () => {
    const long = 'x'.repeat(400);
    const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${'n'.repeat(200)}${at}`, long]));

    expect((await grep(files, { pattern: 'x', limit: 1000 })).output).toContain(
      'Narrow pattern, path or glob, or list files with output_mode files_with_matches.',
    );
    expect((await grep(files, { pattern: 'x', limit: 1000, output_mode: 'files_with_matches' })).output).toMatch(
      /there is more\. Narrow pattern, path or glob\.\]$/,
    );
  });

  it('shows a byte that is no character as one that is broken', async () => {
    const { output } = await grep({ f: Uint8Array.of(0xff, 0x61, 0x0a) }, { pattern: 'a' });

    expect(output).toBe('f:1:\uFFFDa');
  });
});
