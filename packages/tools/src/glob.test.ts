import { AbortError } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../test/call-tool.ts';
import { type GlobInput, globTool, searchedPath } from './glob.ts';

async function glob(paths: readonly string[], input: GlobInput) {
  const files = Object.fromEntries(paths.map((path) => [path, path.endsWith('.gitignore') ? 'ignored\n' : '']));
  const { output, isError } = await callTool(globTool(), input, memoryWorkspace({ files }));
  return { output, isError };
}

describe('Glob', () => {
  it('lists what matches, newest first, relative to the working directory', async () => {
    const { output } = await glob(['src/old.ts', 'src/a.md', 'src/deep/new.ts'], { pattern: '**/*.ts' });

    expect(output).toBe('src/deep/new.ts\nsrc/old.ts');
  });

  it('searches below path, and below the plain part of the pattern', async () => {
    const paths = ['a/x.ts', 'b/c/x.ts'];

    expect((await glob(paths, { pattern: '**/*.ts', path: 'b' })).output).toBe('b/c/x.ts');
    expect((await glob(paths, { pattern: 'b/**/*.ts' })).output).toBe('b/c/x.ts');
    expect((await glob(paths, { pattern: '/workspace/a/*.ts' })).output).toBe('a/x.ts');
  });

  it('shows paths elsewhere in full', async () => {
    expect((await glob(['/etc/x.conf'], { pattern: '*.conf', path: '/etc' })).output).toBe('/etc/x.conf');
  });

  it('leaves out .git, what is ignored, and names with a dot', async () => {
    const paths = ['.gitignore', '.git/x', 'ignored/x', 'deep/ignored', '.env', 'kept'];

    expect((await glob(paths, { pattern: '**/*' })).output).toBe('kept');
    expect((await glob(paths, { pattern: '.*' })).output).toBe('.env\n.gitignore');
  });

  it('searches an ignored directory that is named outright', async () => {
    expect((await glob(['.gitignore', 'ignored/x.ts'], { pattern: 'ignored/*.ts' })).output).toBe('ignored/x.ts');
  });

  it('does not follow links, so that a circle has an end', async () => {
    const workspace = memoryWorkspace({ files: { 'a/x.ts': '' } });
    await workspace.makeLink('a/loop', '..');

    const { output } = await callTool(globTool(), { pattern: '**/*' }, workspace);

    expect(output).toBe('a/loop\na/x.ts');
  });

  it('lists at most 1000 and says how many there are', async () => {
    const { output } = await glob(
      Array.from({ length: 1_200 }, (_, index) => `f${index}`),
      { pattern: '*' },
    );

    expect(output.split('\n').slice(0, 1_000).at(-1)).toBe('f200');
    expect(output).toMatch(/\n\n\[The newest 1,000 of 1,200 files are shown; narrow the pattern or the path\.\]$/);
  });

  it('says when nothing matches', async () => {
    expect(await glob(['a'], { pattern: '*.ts' })).toEqual({ output: 'No files match.', isError: false });
  });

  it.each([
    [{ pattern: '*', path: 'missing' }, 'missing does not exist'],
    [{ pattern: '*', path: 'a' }, 'not a directory'],
    [{ pattern: '' }, 'empty'],
    [{ pattern: '{a,b}'.repeat(20) }, 'too many alternatives'],
  ])('refuses %j', async (input, reason) => {
    expect(await glob(['a'], input)).toMatchObject({ isError: true, output: expect.stringContaining(reason) });
  });

  it('stops when it is aborted', async () => {
    const running = callTool(globTool(), { pattern: '**/*' }, memoryWorkspace(), AbortSignal.abort());

    await expect(running).rejects.toBeInstanceOf(AbortError);
  });

  it('names the directory it will really search for permission rules', () => {
    const subject = (input: GlobInput) => globTool().subject?.(input);

    expect(subject({ pattern: '/etc/**/*.conf' })).toEqual({ type: 'paths', paths: ['/etc'] });
    expect(subject({ pattern: '../secret/*', path: 'src' })).toEqual({ type: 'paths', paths: ['src/../secret'] });
    expect(subject({ pattern: '*' })).toEqual({ type: 'paths', paths: ['.'] });
  });
});

describe('searchedPath', () => {
  it.each([
    ['*.ts', undefined, '.'],
    ['src/*.ts', undefined, 'src'],
    ['src/*.ts', 'lib', 'lib/src'],
    ['/a/b/*.ts', 'lib', '/a/b'],
    ['**/*.ts', 'lib', 'lib'],
    ['src/*.ts', '.', 'src'],
    ['[', 'lib', 'lib'],
  ])('of %s below %s is %s', (pattern, path, searched) => {
    expect(searchedPath(pattern, path)).toBe(searched);
  });
});

describe('Glob, of files that are no help to order them', () => {
  it('lists those of one moment, and those that are gone meanwhile, by name', async () => {
    const workspace = memoryWorkspace({ files: { b: '', a: '', c: '' } });
    const list = async (modifiedMs: number | undefined) => {
      const facts = { kind: 'file' as const, size: 0, mode: 0o600, modifiedMs: modifiedMs ?? 0 };
      const stat: typeof workspace.stat = async (path) => {
        if (path.endsWith('workspace') || path === '.') return await workspace.stat(path);
        return modifiedMs === undefined ? undefined : facts;
      };
      return (await callTool(globTool(), { pattern: '*' }, { ...workspace, stat })).output;
    };

    expect(await list(5)).toBe('a\nb\nc');
    expect(await list(undefined)).toBe('a\nb\nc');
  });
});
