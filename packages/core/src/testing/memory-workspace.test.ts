import { describe, expect, it } from 'vitest';
import { memoryWorkspace } from './memory-workspace.ts';

const decoder = new TextDecoder();

async function printed(workspace: ReturnType<typeof memoryWorkspace>, command: string) {
  const running = workspace.spawn(command, { signal: new AbortController().signal });
  let text = '';
  for await (const { channel, bytes } of running.output) text += `${channel}: ${decoder.decode(bytes)}`;
  return { text, ...(await running.exit) };
}

async function names(workspace: ReturnType<typeof memoryWorkspace>, directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, kind } of workspace.list(directory)) found.push(`${kind} ${name}`);
  return found;
}

describe('memoryWorkspace', () => {
  it('holds the files it is given, relative ones below cwd, the last one newest', async () => {
    const workspace = memoryWorkspace({ files: { 'a/b.txt': 'one', '/etc/c': Uint8Array.of(1) }, cwd: '/home/me' });

    const [older, newer] = [await workspace.stat('/home/me/a/b.txt'), await workspace.stat('/etc/c')];

    expect(decoder.decode(await workspace.readFile('/home/me/a/b.txt'))).toBe('one');
    expect(older!.modifiedMs).toBeLessThan(newer!.modifiedMs);
  });

  it('has no directory where a file is, and says so', async () => {
    const workspace = memoryWorkspace({ files: { a: 'x' } });

    await expect(workspace.makeDirectory('a')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(workspace.makeDirectory('a/b')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(workspace.writeFile('a/b', new Uint8Array())).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(names(workspace, 'a')).rejects.toMatchObject({
      code: 'ENOTDIR',
      message: expect.stringContaining('a is not a directory'),
    });
    expect(decoder.decode(await workspace.readFile('a'))).toBe('x');
  });

  it('has a root, which is listed like any directory', async () => {
    const workspace = memoryWorkspace({ files: { '/top': '', '/etc/c': '', 'd/e': '' } });

    expect(await names(workspace, '/')).toEqual(['directory workspace', 'file top', 'directory etc']);
    expect(await names(workspace, '..')).toEqual(await names(workspace, '/'));
    expect(await names(workspace, '.')).toEqual(['directory d']);
    expect(await workspace.stat('/top')).toMatchObject({ kind: 'file', size: 0 });
    expect([await workspace.resolve('/'), await workspace.resolve('../../..')]).toEqual(['/', '/']);
    await expect(workspace.writeFile('/', new Uint8Array())).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('ends a process where it is killed: nothing is printed afterwards', async () => {
    const workspace = memoryWorkspace({ commands: { talk: { output: ['a', 'b', 'c'] } } });
    const running = workspace.spawn('talk', { signal: new AbortController().signal });
    const printed: string[] = [];

    for await (const { bytes } of running.output) {
      printed.push(decoder.decode(bytes));
      running.kill();
      running.kill();
    }

    expect(printed).toEqual(['a']);
    expect(await running.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('does not begin a process that was killed before it was read', async () => {
    let asked = 0;
    const workspace = memoryWorkspace({ commands: () => ({ output: `${++asked}` }) });
    const running = workspace.spawn('talk', { signal: new AbortController().signal });

    running.kill();

    expect(await running.output[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    expect([asked, await running.exit]).toEqual([0, { code: null, signal: 'SIGKILL' }]);
  });

  it('plays back the reply of a command and remembers what was run', async () => {
    const workspace = memoryWorkspace({ commands: { ls: { output: ['a\n', 'b\n'], code: 2 } } });

    const result = await printed(workspace, 'ls');

    expect(result).toEqual({ text: 'stdout: a\nstdout: b\n', code: 2, signal: null });
    expect(workspace.commandsRun).toEqual(['ls']);
  });

  it('answers an unknown command as a shell does', async () => {
    const result = await printed(memoryWorkspace(), 'constructor');

    expect(result).toEqual({ text: 'stderr: constructor: command not found\n', code: 127, signal: null });
  });

  it('lets a command change files', async () => {
    const workspace = memoryWorkspace({
      commands: async (command, _, files) => {
        await files.writeFile('made.txt', new TextEncoder().encode(command));
        return {};
      },
    });

    await printed(workspace, 'touch');

    expect(decoder.decode(await workspace.readFile('made.txt'))).toBe('touch');
  });

  it('refuses the network unless it is given one', async () => {
    const request = new Request('https://example.com/');

    await expect(memoryWorkspace().fetch(request)).rejects.toMatchObject({ code: 'NO_NETWORK' });
    const online = memoryWorkspace({ fetch: async () => new Response('hi') });
    expect(await (await online.fetch(request)).text()).toBe('hi');
  });

  it('follows no link in a path that is meant as a place', async () => {
    const workspace = memoryWorkspace({ files: { 'outside/a': 'x' } });
    await workspace.makeLink('dir', 'outside');
    const refused = { code: 'PATH_CHANGED' };

    await expect(workspace.readFile('dir/a', { noFollow: true })).rejects.toMatchObject(refused);
    await expect(workspace.writeFile('dir/b', new Uint8Array(), { noFollow: true })).rejects.toMatchObject(refused);
    await expect(workspace.stat('dir/a', { noFollow: true })).rejects.toMatchObject(refused);
    await expect(workspace.remove('dir/a', { noFollow: true })).rejects.toMatchObject(refused);
    expect(await workspace.stat('dir', { noFollow: true })).toMatchObject({ kind: 'symlink' });
    expect(await names(workspace, 'dir')).toEqual(['file a']);
    expect(await workspace.readFile('dir/a')).toHaveLength(1);
  });

  it('stays usable when it is spread', async () => {
    const narrowed = { ...memoryWorkspace({ files: { a: 'x' } }), cwd: '/elsewhere' };

    expect(decoder.decode(await narrowed.readFile('a'))).toBe('x');
  });
});
