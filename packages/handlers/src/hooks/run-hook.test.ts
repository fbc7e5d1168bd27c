import type { ProcessExit, ProcessOutput, Workspace } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { labelOf, runHook } from './run-hook.ts';
import type { HookInput } from './types.ts';

// safe: the hooks of these tests do not read it
const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash' } as HookInput;
const command = { type: 'command', command: 'check' } as const;

/** A workspace whose commands end when they like, whatever signal they are given. */
function deaf(end: Promise<void>): Workspace {
  const exit: ProcessExit = { code: 0, signal: null };
  const bytes = new TextEncoder().encode('{"permissionDecision":"allow"}');
  async function* output(): AsyncGenerator<ProcessOutput> {
    await end;
    yield { channel: 'stdout', bytes };
  }
  return {
    ...memoryWorkspace(),
    spawn: () => ({ output: output(), exit: end.then(() => exit), kill: () => undefined }),
  };
}

describe('runHook', () => {
  it('counts no answer of a command that comes after the end of the run', async () => {
    const abort = new AbortController();
    const ended = Promise.withResolvers<void>();

    const running = runHook(command, input, {
      workspace: deaf(ended.promise),
      signal: abort.signal,
      timeoutMs: 60_000,
    });
    abort.abort();
    ended.resolve();

    expect(await running).toEqual({ kind: 'aborted' });
  });

  it('counts no answer of a command that comes after its time', async () => {
    const ended = Promise.withResolvers<void>();
    const { signal } = new AbortController();
    const workspace: Workspace = deaf(ended.promise);
    const spawn: Workspace['spawn'] = (line, options) => {
      options.signal.addEventListener('abort', () => ended.resolve(), { once: true });
      return workspace.spawn(line, options);
    };

    const end = await runHook(command, input, { workspace: { ...workspace, spawn }, signal, timeoutMs: 5 });

    expect(end).toEqual({ kind: 'timeout', fault: 'did not answer within 0.005 seconds' });
  });

  it('counts the answer that comes in time (control)', async () => {
    const { signal } = new AbortController();

    const end = await runHook(command, input, { workspace: deaf(Promise.resolve()), signal, timeoutMs: 60_000 });

    expect(end).toMatchObject({ kind: 'answered', answer: { decision: 'allow' } });
  });

  it('waits only a moment for a command that does not end when it is told to', async () => {
    const { signal } = new AbortController();
    const workspace = deaf(new Promise(() => undefined));

    const end = await runHook(command, input, { workspace, signal, timeoutMs: 5 });

    expect(end.kind).toBe('timeout');
  });

  it('takes a workspace that refuses to start a command as a failure', async () => {
    const { signal } = new AbortController();
    const workspace: Workspace = {
      ...memoryWorkspace(),
      spawn: () => {
        throw new Error('no commands here');
      },
    };

    const end = await runHook(command, input, { workspace, signal, timeoutMs: 60_000 });

    expect(end).toEqual({ kind: 'failure', fault: 'failed', detail: 'no commands here' });
  });

  it('leaves no listener on the signal of the run', async () => {
    const { signal } = new AbortController();
    const counted = { added: 0, removed: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counted.added += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counted.removed += 1;
      remove(...args);
    };

    await runHook(async () => ({}), input, { workspace: memoryWorkspace(), signal, timeoutMs: 60_000 });

    expect(counted).toEqual({ added: 1, removed: 1 });
  });
});

describe('labelOf', () => {
  it('is the name of the function or the beginning of the command', () => {
    async function named(): Promise<void> {}

    expect(labelOf(named)).toBe('named');
    expect(labelOf(async () => ({}))).toBe('(a function)');
    expect(labelOf({ type: 'command', command: 'x'.repeat(100) })).toBe(`"${'x'.repeat(80)} [20 characters more]"`);
  });
});
