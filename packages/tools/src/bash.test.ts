import { AbortError, type Workspace } from '@x/core';
import { type CommandReply, memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { callTool } from '../test/call-tool.ts';
import { bashTool } from './bash.ts';

function bash(reply: CommandReply, { timeout, signal }: { timeout?: number; signal?: AbortSignal } = {}) {
  const workspace = memoryWorkspace({ commands: { it: reply } });
  return callTool(bashTool(), { command: 'it', ...(timeout === undefined ? {} : { timeout }) }, workspace, signal);
}

const stderr = (text: string) => ({ channel: 'stderr', bytes: new TextEncoder().encode(text) }) as const;

describe('Bash', () => {
  it('answers with what the command prints, both channels in order', async () => {
    expect(await bash({ output: ['a\n', stderr('b\n'), 'c\n'] })).toMatchObject({
      output: 'a\nb\nc\n',
      isError: false,
    });
  });

  it('streams the output as it comes', async () => {
    const { events } = await bash({ output: ['a', stderr('b')] });

    expect(events).toEqual([
      { type: 'tool_progress', id: 'c', delta: 'a' },
      { type: 'tool_progress', id: 'c', delta: 'b' },
    ]);
    expect(bashTool().streaming).toBe(true);
  });

  it('puts characters together that come in pieces, in each channel on its own', async () => {
    const [first, ...rest] = new TextEncoder().encode('€');
    const [lead, ...tail] = new TextEncoder().encode('😀');

    const { output } = await bash({
      output: [
        Uint8Array.of(first!),
        { channel: 'stderr', bytes: Uint8Array.of(lead!) },
        Uint8Array.from(rest),
        { channel: 'stderr', bytes: Uint8Array.from(tail) },
      ],
    });

    expect(output).toBe('€😀');
  });

  it('shows half a character at the end as one that is broken', async () => {
    expect((await bash({ output: [Uint8Array.of(65, 0xe2, 0x82)] })).output).toBe('A\uFFFD');
  });

  it('leaves escape sequences alone', async () => {
    expect((await bash({ output: '\x1b[31mred\x1b[0m' })).output).toBe('\x1b[31mred\x1b[0m');
  });

  it('says when nothing was printed', async () => {
    expect(await bash({})).toMatchObject({ output: '(no output)', isError: false });
  });

  it('makes another code than 0 an error with code and output', async () => {
    expect(await bash({ output: 'oops\n', code: 3 })).toMatchObject({ output: 'Exit code 3\noops\n', isError: true });
  });

  it.each([
    ['SIGSEGV', 'Ended by SIGSEGV\noops'],
    [null, 'Ended by a signal\noops'],
  ])('says by which signal a command has ended: %s', async (signal, output) => {
    const workspace = memoryWorkspace({ commands: () => ({ output: 'oops' }) });
    const spawn: Workspace['spawn'] = (...values) => ({
      ...workspace.spawn(...values),
      exit: Promise.resolve({ code: null, signal }),
    });

    expect(await callTool(bashTool(), { command: 'x' }, { ...workspace, spawn })).toMatchObject({
      output,
      isError: true,
    });
  });

  it('ends a command at its timeout and tells what was printed until then', async () => {
    const { output, isError } = await bash({ output: 'so far', hangs: true }, { timeout: 20 });

    expect(isError).toBe(true);
    expect(output).toBe('Timed out after 20 ms; the command and its children were ended. Output so far:\nso far');
  });

  it('stops when the call is aborted', async () => {
    const abort = new AbortController();
    const running = bash({ hangs: true }, { signal: abort.signal });

    setTimeout(() => abort.abort(), 5);

    await expect(running).rejects.toBeInstanceOf(AbortError);
  });

  it('keeps both ends of a long output and says what was cut and how to see it', async () => {
    const { output } = await bash({ output: Array.from({ length: 5_000 }, (_, line) => `line ${line}\n`) });

    expect(output.length).toBeLessThanOrEqual(30_000);
    expect(output).toMatch(/^line 0\n/);
    expect(output).toMatch(/line 4999\n$/);
    expect(output).toMatch(
      /\[[\d,]+ characters cut here\. To see them, send the output to a file and Read or Grep it\.\]/,
    );
  });

  it('refuses a timeout over ten minutes', () => {
    expect(() => bashTool().inputSchema.parse({ command: 'a', timeout: 600_001 })).toThrow(/at most 600000/);
  });

  it('is the careful kind, and names its command for permission rules', () => {
    const tool = bashTool();

    expect(tool).toMatchObject({ kind: 'execute', effect: 'non_idempotent', parallelSafe: false });
    expect(tool.subject?.({ command: 'ls' })).toEqual({ type: 'command', line: 'ls' });
  });
});
