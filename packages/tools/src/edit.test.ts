import { fc, test } from '@fast-check/vitest';
import { AbortError } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool, textIn } from '../test/call-tool.ts';
import { editTool } from './edit.ts';

/** Edits a file that holds `content`, and tells the result and what the file holds then. */
async function edit(
  content: string | Uint8Array,
  change: { old_string: string; new_string: string; replace_all?: boolean },
) {
  const workspace = memoryWorkspace({ files: { 'a.txt': content } });
  const { output, isError } = await callTool(editTool(), { file_path: 'a.txt', ...change }, workspace);
  return { output, isError, bytes: await workspace.readFile('a.txt'), text: await textIn(workspace, 'a.txt') };
}

describe('Edit', () => {
  it('replaces the one occurrence and shows the place', async () => {
    const { text, output } = await edit('1\n2\n3\n4\n5\n6\n7\n8\n9\n', { old_string: '6', new_string: 'six\nand' });

    expect(text).toBe('1\n2\n3\n4\n5\nsix\nand\n7\n8\n9\n');
    expect(output).toBe(
      `Edited a.txt: 1 replacement. It now reads:\n${['2', '3', '4', '5', 'six', 'and', '7', '8', '9']
        .map((line, index) => `     ${index + 2}\t${line}`)
        .join('\n')
        .replace('     10', '    10')}`,
    );
  });

  it('answers with at most 30,000 characters, and says where the rest is', async () => {
    const change = (lines: number, text: string) => ({ old_string: 'x', new_string: `${text}\n`.repeat(lines) });

    const wide = await edit('x', change(40, 'y'.repeat(2_500)));
    expect(wide.output.length).toBeLessThanOrEqual(30_000);
    expect(wide.output).toMatch(/\n\n\[The rest is not shown; Read on with offset 15\.\]$/);
    expect((await edit('x', change(41, 'y'))).output).toMatch(
      /40\ty\n\n\[The rest is not shown; Read on with offset 41\.\]$/,
    );
    expect((await edit('x', change(40, 'y'))).output).toMatch(/40\ty$/);
  });

  it('refuses a directory and a file that is too large, and lists no more than 20 places', async () => {
    const workspace = memoryWorkspace({ files: { 'd/f': 'x', big: 'x' } });
    const change = { old_string: 'x', new_string: 'y' };
    const big = {
      ...workspace,
      stat: async () => ({ kind: 'file' as const, size: 2 ** 30, mode: 0o600, modifiedMs: 0 }),
    };

    const folder = await callTool(editTool(), { file_path: 'd', ...change }, workspace);
    expect([folder.isError, folder.output]).toEqual([true, 'd is not a regular file.']);
    expect((await callTool(editTool(), { file_path: 'big', ...change }, big)).output).toContain('too many to edit');
    expect((await edit('x\n'.repeat(25), change)).output).toContain('19, 20, ...');
  });

  it('replaces every occurrence with replace_all', async () => {
    const { text, output } = await edit('a b a\na', { old_string: 'a', new_string: 'cc', replace_all: true });

    expect(text).toBe('cc b cc\ncc');
    expect(output).toContain('3 replacements. Around the first');
  });

  it('refuses several occurrences, tells their lines, and leaves the file', async () => {
    const { text, output, isError } = await edit('x\na\na a\n', { old_string: 'a', new_string: 'b' });

    expect({ text, isError }).toEqual({ text: 'x\na\na a\n', isError: true });
    expect(output).toContain('found 3 times in a.txt, at lines 2, 3, 3');
  });

  it('counts occurrences that overlap as several', async () => {
    const { text, isError } = await edit('aaa', { old_string: 'aa', new_string: 'b' });

    expect({ text, isError }).toEqual({ text: 'aaa', isError: true });
  });

  it.each([
    [
      'white space differs',
      '\tif (x) {\n\t\treturn;\n',
      'if (x) {\n    return;',
      'matches lines 1 to 2 when white space is ignored',
    ],
    ['line numbers were copied', 'one\ntwo\n', '     1\tone\n     2\ttwo', 'without the line numbers'],
    ['only the first line is right', 'one\ntwo\nthree', 'two\nfour', 'first line is line 2'],
    ['nothing is alike', 'one', 'other', 'copy the text exactly'],
  ])('gives a hint when %s, and leaves the file', async (_, content, old_string, hint) => {
    const { text, output, isError } = await edit(content, { old_string, new_string: 'new' });

    expect({ text, isError }).toEqual({ text: content, isError: true });
    expect(output).toContain(hint);
  });

  it.each([
    ['an empty old_string', { old_string: '', new_string: 'x' }, 'use Write'],
    ['no change', { old_string: 'a', new_string: 'a' }, 'are the same'],
  ])('refuses %s', async (_, change, reason) => {
    expect(await edit('a', change)).toMatchObject({
      isError: true,
      output: expect.stringContaining(reason),
      text: 'a',
    });
  });

  it('takes the new text literally', async () => {
    const { text } = await edit('a|b', { old_string: '|', new_string: "$&$`$'$1$$" });

    expect(text).toBe("a$&$`$'$1$$b");
  });

  it('keeps CRLF, also in what it puts in', async () => {
    const { text } = await edit('one\r\ntwo\r\nthree\r\n', { old_string: 'one\ntwo', new_string: '1\n2\n3' });

    expect(text).toBe('1\r\n2\r\n3\r\nthree\r\n');
  });

  it('matches the CRLF part of a file with both, and keeps the rest', async () => {
    const { text } = await edit('a\nb\r\nc\r\n', { old_string: 'b\nc', new_string: 'x\ny' });

    expect(text).toBe('a\nx\r\ny\r\n');
  });

  it('counts places with either line end in a file with both, and changes each in its own way', async () => {
    const content = 'a\nb\r\na\r\nb\r\n';
    const change = { old_string: 'a\nb', new_string: 'x\ny' };

    expect(await edit(content, change)).toMatchObject({
      isError: true,
      text: content,
      output: expect.stringContaining('found 2 times in a.txt, at lines 1, 3;'),
    });
    expect(await edit(content, { ...change, replace_all: true })).toMatchObject({
      text: 'x\ny\r\nx\r\ny\r\n',
      output: expect.stringContaining('2 replacements'),
    });
    expect((await edit('a\nb\r\nc', { old_string: '\nc', new_string: '\nd' })).text).toBe('a\nb\r\nd');
  });

  it('keeps a byte order mark', async () => {
    const { bytes } = await edit('\uFEFFone', { old_string: 'one', new_string: 'two' });

    expect([...bytes]).toEqual([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('two')]);
  });

  it('refuses what is not UTF-8, byte for byte unchanged', async () => {
    const latin1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9);

    const { bytes, isError, output } = await edit(latin1, { old_string: 'caf', new_string: 'tea' });

    expect({ bytes, isError }).toEqual({ bytes: latin1, isError: true });
    expect(output).toContain('not UTF-8');
  });

  it('keeps the mode', async () => {
    const workspace = memoryWorkspace();
    await workspace.writeFile('run.sh', new TextEncoder().encode('old'), { mode: 0o750 });

    await callTool(editTool(), { file_path: 'run.sh', old_string: 'old', new_string: 'new' }, workspace);

    expect((await workspace.stat('run.sh'))?.mode).toBe(0o750);
  });

  it('names similar files when one is missing', async () => {
    const workspace = memoryWorkspace({ files: { 'main.ts': '' } });

    const result = await callTool(editTool(), { file_path: 'main.js', old_string: 'a', new_string: 'b' }, workspace);

    expect(result).toMatchObject({ isError: true, output: expect.stringContaining('Did you mean main.ts?') });
  });

  it('loses nothing when agents edit one file at the same time, by any of its names', async () => {
    const workspace = memoryWorkspace({ files: { f: 'a b c' } });
    await workspace.makeLink('l', 'f');
    const tool = editTool();
    const ended = new AbortController();
    ended.abort();

    const results = await Promise.allSettled([
      callTool(tool, { file_path: 'f', old_string: 'a', new_string: '1' }, workspace),
      callTool(tool, { file_path: 'f', old_string: 'a', new_string: '2' }, workspace),
      callTool(tool, { file_path: './l', old_string: 'b', new_string: '3' }, workspace),
      callTool(tool, { file_path: 'f', old_string: 'x', new_string: '4' }, workspace, ended.signal),
      callTool(tool, { file_path: 'f', old_string: 'c', new_string: '5' }, workspace),
    ]);

    expect(await textIn(workspace, 'f')).toBe('1 3 5');
    expect(results).toMatchObject([
      { value: { isError: false } },
      { value: { isError: true } },
      { value: { isError: false } },
      { reason: new AbortError() },
      { value: { isError: false } },
    ]);
  });

  it('must not be repeated', () => {
    expect(editTool()).toMatchObject({ kind: 'write', effect: 'non_idempotent', parallelSafe: false });
  });

  const part = fc.stringMatching(/^[ab\n\r€]{0,20}$/);
  test.prop([part, fc.stringMatching(/^[ab\n]{1,4}$/), part, fc.stringMatching(/^[xy\n$&]{0,6}$/)])(
    'replaces exactly one place and leaves the rest, or refuses and leaves all',
    async (before, old_string, after, new_string) => {
      const content = before + old_string + after;
      const { text, isError } = await edit(content, { old_string, new_string });

      const places = placesOf(content, old_string);
      if (isError) expect(text).toBe(content);
      else expect(possible(content, old_string, new_string, places)).toContain(text);
    },
  );

  test.prop([fc.array(fc.stringMatching(/^[a-c]{0,5}$/), { minLength: 1 }), fc.stringMatching(/^[xyz]{1,4}$/)])(
    'replaces a unique text wherever it is',
    async (lines, new_string) => {
      const content = `${lines.join('\n')}MARK${lines.join('\r\n')}`;

      const { text, isError } = await edit(content, { old_string: 'MARK', new_string });

      expect({ text, isError }).toEqual({ text: content.replace('MARK', () => new_string), isError: false });
    },
  );
});

function placesOf(text: string, wanted: string): number[] {
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(wanted, at));
}

/** Every text that one literal replacement can give, with the line ends of the strings as given or as CRLF. */
function possible(content: string, from: string, to: string, places: readonly number[]): string[] {
  const crlf = (text: string) => text.replace(/(?<!\r)\n/g, '\r\n');
  const asGiven = places.map((at) => content.slice(0, at) + to + content.slice(at + from.length));
  const wide = placesOf(content, crlf(from));
  return [...asGiven, ...wide.map((at) => content.slice(0, at) + crlf(to) + content.slice(at + crlf(from).length))];
}
