import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import type { Workspace } from '@x/core';
import { hostWorkspace } from '@x/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { walkFiles } from '../src/files/walk-files.ts';
import { type GrepInput, grepTool } from '../src/grep/grep.ts';
import { linePattern } from '../src/grep/line-pattern.ts';
import { ripgrepCandidates } from '../src/grep/ripgrep-candidates.ts';
import { searchFiles } from '../src/grep/search-files.ts';
import { callTool } from './call-tool.ts';
import { fileNames, hostTrees } from './host-trees.ts';

const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
const { signal } = new AbortController();
const { tree, close } = hostTrees();

afterAll(close);

/** Every path that searching finds, with its line numbers. */
async function found(
  workspace: Workspace,
  source: string,
  { ripgrepFrom, ignoreCase }: { ripgrepFrom: number; ignoreCase: boolean },
) {
  async function* files() {
    for await (const { path } of walkFiles({ workspace, root: workspace.cwd, signal })) yield path;
  }
  const pattern = linePattern(source, { ignoreCase });
  const lines: string[] = [];
  for await (const file of searchFiles(files(), { workspace, root: workspace.cwd, signal, pattern, ripgrepFrom })) {
    for await (const line of file.lines) lines.push(`${file.path}:${line.number}`);
  }
  return lines;
}

describe.runIf(hasRipgrep)('with ripgrep (skipped where rg is not installed)', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', 'A', ' ', '-', 'ä', '1', '\r'), maxLength: 6 });
  const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
  const content = fc.oneof(
    { weight: 5, arbitrary: text },
    { weight: 1, arbitrary: text.map((each) => `\uFEFF${each}`) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
    { weight: 1, arbitrary: text.map((each) => Buffer.from(`\uFEFF${each}`, 'utf16le')) },
    { weight: 1, arbitrary: text.map((each) => Buffer.from(each, 'latin1')) },
  );
  const patterns = fc.constantFrom(
    'a',
    'a$',
    '^a',
    '^$',
    'a.',
    'a|b',
    '[^a]',
    '[^a]$',
    'a{2}',
    '\\w+$',
    '\\W',
    '\\bä',
    'ä\\b',
    '\\Ba',
    '\\s',
    '\\d',
    '\\p{Lu}',
    '(a|A)b*',
    "'",
    '^.$',
    '-',
    '\\B',
    '[\\W\\d]',
    '\\S\\r',
    'b\\B',
    '[^\\w]$',
    '{',
    '\\PL',
  );

  test.prop(
    [
      fc.dictionary(
        fileNames.filter((each) => each !== 'src'),
        content,
        { minKeys: 1, maxKeys: 6 },
      ),
      patterns,
      fc.boolean(),
    ],
    {
      numRuns: 100,
    },
  )('finds the same lines as without it', async (files, pattern, ignoreCase) => {
    const workspace = hostWorkspace({ cwd: tree(files) });

    const withRipgrep = await found(workspace, pattern, { ripgrepFrom: 1, ignoreCase });
    const without = await found(workspace, pattern, { ripgrepFrom: Infinity, ignoreCase });

    expect(withRipgrep).toEqual(without);
  });

  it.each([
    ['a carriage return at the very end', '\r', '[^\\w]$'],
    ['a byte order mark before the first line', '\uFEFFa', '^a'],
    ['a word beside a broken byte', Uint8Array.of(97, 0xff), 'a\\B'],
    ['letters that are UTF-16 by its mark', Uint8Array.of(0xff, 0xfe, 97, 98), 'ab'],
  ])('does not lose %s', async (_, text, pattern) => {
    const workspace = hostWorkspace({ cwd: tree({ file: text }) });

    const without = await found(workspace, pattern, { ripgrepFrom: Infinity, ignoreCase: false });

    expect(await found(workspace, pattern, { ripgrepFrom: 1, ignoreCase: false })).toEqual(without);
  });

  it('rules files out (control: it is really asked)', async () => {
    const workspace = hostWorkspace({ cwd: tree({ a: 'yes', b: 'no', "c'd": 'yes' }) });
    const options = { workspace, root: workspace.cwd, pattern: linePattern('^yes$'), signal };

    expect(await ripgrepCandidates(['a', 'b', "c'd"], options)).toEqual(['a', "c'd"]);
    expect(await ripgrepCandidates(['b'], options)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'rules out no file whose name is no UTF-8 (Linux alone has them)',
    async () => {
      const workspace = hostWorkspace({ cwd: tree({ a: 'no' }) });
      writeFileSync(Buffer.concat([Buffer.from(`${workspace.cwd}/b`), Uint8Array.of(0xff)]), 'yes');
      const options = { workspace, root: workspace.cwd, pattern: linePattern('^yes$'), signal };

      expect(await ripgrepCandidates(['a', 'b\udcff'], options)).toEqual(['b\udcff']);
      expect(await ripgrepCandidates(['b\udcff'], options)).toEqual(['b\udcff']);
      expect(await found(workspace, '^yes$', { ripgrepFrom: 1, ignoreCase: false })).toEqual(['b\udcff:1']);
    },
  );

  it('has every file looked at when it fails', async () => {
    const workspace = hostWorkspace({ cwd: tree({ a: 'x' }) });

    const options = { workspace, root: workspace.cwd, pattern: linePattern('x'), signal };
    expect(await ripgrepCandidates(['a', 'missing'], options)).toBeUndefined();
  });

  it('gives the same answers through the tool, in every mode, with and without rg on PATH (T05e)', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`d${index % 7}/f${index}.ts`, bodyOf(index)]),
    );
    const cwd = tree({ ...files, '.gitignore': 'd3/\n*.log', 'd1/x.log': 'hit', 'd2/binary': 'hit\0', '.env': 'hit' });
    const bare = tree({ bin: '' });
    const commands: string[] = [];
    const rich = hostWorkspace({ cwd });
    const watched: Workspace = {
      ...rich,
      spawn: (command, options) => (commands.push(command), rich.spawn(command, options)),
    };
    const poor = hostWorkspace({ cwd, env: { PATH: bare } });
    const inputs: GrepInput[] = [
      { pattern: 'hit' },
      { pattern: 'hit \\d*7$', context: 2 },
      { pattern: 'HIT', case_insensitive: true, output_mode: 'count' },
      { pattern: 'hit', output_mode: 'files_with_matches', limit: 9 },
      { pattern: 'hit', glob: '**/f1*.ts', path: 'd1' },
      { pattern: 'nowhere' },
    ];

    const answers = async (workspace: Workspace) => {
      const outputs: string[] = [];
      for (const input of inputs) outputs.push((await callTool(grepTool(), input, workspace)).output);
      return outputs;
    };

    expect(await answers(watched)).toEqual(await answers(poor));
    expect(commands.filter((command) => command.startsWith('rg '))).toHaveLength(5);
  });

  it('asks once for a ripgrep that is not there', async () => {
    const cwd = tree(Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`f${index}`, 'hit'])));
    const commands: string[] = [];
    const poor = hostWorkspace({ cwd, env: { PATH: '/nowhere' } });
    const watched: Workspace = {
      ...poor,
      spawn: (command, options) => (commands.push(command), poor.spawn(command, options)),
    };

    const first = await callTool(grepTool(), { pattern: 'hit', output_mode: 'count' }, watched);
    const second = await callTool(grepTool(), { pattern: 'hit', output_mode: 'count' }, watched);

    expect(first.output.split('\n')).toHaveLength(70);
    expect(second.output).toBe(first.output);
    expect(commands).toHaveLength(1);
  });
});

function bodyOf(index: number): string {
  return `first ${index}\nhit ${index}\n${index % 2 === 0 ? 'hit 7\r\n' : ''}last\n`;
}
