import { describe, expect, it } from 'vitest';
import { memoryWorkspace } from './memory-workspace.ts';

const decoder = new TextDecoder();

async function printed(workspace: ReturnType<typeof memoryWorkspace>, command: string) {
  const running = workspace.spawn(command, { signal: new AbortController().signal });
  let text = '';
  for await (const { channel, bytes } of running.output) text += `${channel}: ${decoder.decode(bytes)}`;
  return { text, ...(await running.exit) };
}

describe('memoryWorkspace', () => {
  it('holds the files it is given, relative ones below cwd, the last one newest', async () => {
    const workspace = memoryWorkspace({ files: { 'a/b.txt': 'one', '/etc/c': Uint8Array.of(1) }, cwd: '/home/me' });

    const [older, newer] = [await workspace.stat('/home/me/a/b.txt'), await workspace.stat('/etc/c')];

    expect(decoder.decode(await workspace.readFile('/home/me/a/b.txt'))).toBe('one');
    expect(older!.modifiedMs).toBeLessThan(newer!.modifiedMs);
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

  it('stays usable when it is spread', async () => {
    const narrowed = { ...memoryWorkspace({ files: { a: 'x' } }), cwd: '/elsewhere' };

    expect(decoder.decode(await narrowed.readFile('a'))).toBe('x');
  });
});
