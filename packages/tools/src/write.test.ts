import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool, textIn } from '../test/call-tool.ts';
import { writeTool } from './write.ts';

describe('Write', () => {
  it('creates a file with its parents and says how large it is', async () => {
    const workspace = memoryWorkspace();

    const { output, isError } = await callTool(writeTool(), { file_path: 'a/b.txt', content: 'one\ntwö\n' }, workspace);

    expect(output).toBe('Created a/b.txt (2 lines, 9 bytes).');
    expect(isError).toBe(false);
    expect(await textIn(workspace, 'a/b.txt')).toBe('one\ntwö\n');
  });

  it('replaces a file and keeps its mode', async () => {
    const workspace = memoryWorkspace();
    await workspace.writeFile('run.sh', new Uint8Array(3), { mode: 0o755 });

    const { output } = await callTool(writeTool(), { file_path: 'run.sh', content: 'x' }, workspace);

    expect(output).toBe('Replaced run.sh (1 line, 1 byte).');
    expect((await workspace.stat('run.sh'))?.mode).toBe(0o755);
  });

  it('writes to the file behind a link', async () => {
    const workspace = memoryWorkspace({ files: { 'real.txt': 'old' } });
    await workspace.makeLink('link', 'real.txt');

    const { output } = await callTool(writeTool(), { file_path: 'link', content: 'new' }, workspace);

    expect(output).toContain('Replaced link');
    expect(await textIn(workspace, 'real.txt')).toBe('new');
  });

  it('refuses a directory', async () => {
    const workspace = memoryWorkspace({ files: { 'd/a.txt': 'kept' } });

    const result = await callTool(writeTool(), { file_path: 'd', content: '' }, workspace);

    expect(result).toMatchObject({ isError: true, output: 'd is a directory; nothing was written.' });
  });

  it('lets what the workspace throws through', async () => {
    const workspace = { ...memoryWorkspace(), writeFile: () => Promise.reject(new Error('disk full')) };

    await expect(callTool(writeTool(), { file_path: 'a', content: '' }, workspace)).rejects.toThrow('disk full');
  });

  it('is a write that may be repeated', () => {
    const tool = writeTool();

    expect(tool).toMatchObject({ kind: 'write', effect: 'idempotent', parallelSafe: false });
    expect(tool.subject?.({ file_path: 'a', content: '' })).toEqual({ type: 'paths', paths: ['a'] });
  });
});
