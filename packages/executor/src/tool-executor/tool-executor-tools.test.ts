import { defineTool, objectSchema, type Tool, type ToolEffect, ToolExecutionError, type Workspace } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { caught } from '../../test/caught.ts';
import { ToolExecutor } from './tool-executor.ts';

const inputSchema = objectSchema({ city: { type: 'string', description: 'Where.' } });
const tool = (execute: Parameters<typeof defineTool>[0]['execute'], effect: ToolEffect = 'pure'): Tool =>
  defineTool({ name: 'weather', description: 'The weather.', effect, inputSchema, execute });
const executor = new ToolExecutor();
const failing = (effect: ToolEffect) => {
  let failures = 1;
  const execute = async () => {
    if (failures-- > 0) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    return 'done';
  };
  return tool(execute, effect);
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('execute with a tool', () => {
  it('resolves with the text or the value of the tool', async () => {
    expect(
      await executor.execute(
        tool(async () => 'Sunny.'),
        { city: 'Rome' },
      ),
    ).toBe('Sunny.');
    expect(
      await executor.execute(
        tool(async () => ({ celsius: 21 })),
        { city: 'Rome' },
      ),
    ).toEqual({ celsius: 21 });
    const streaming = tool(async function* () {
      yield 'Sun';
      yield 'ny.';
    });
    expect(await executor.execute(streaming, { city: 'Rome' })).toBe('Sunny.');
  });

  it('refuses input that does not fit its schema before the first attempt', async () => {
    const execute = vi.fn<() => Promise<string>>(async () => 'Sunny.');

    expect(await caught(executor.execute(tool(execute), { town: 'Rome' }, { retry: 3 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(execute).not.toHaveBeenCalled();
  });

  it.each(['pure', 'idempotent'] as const)('tries a tool of effect %s again', async (effect) => {
    const ended = executor.execute(failing(effect), { city: 'Rome' }, { retry: 1 });
    await vi.runAllTimersAsync();

    expect(await ended).toBe('done');
  });

  it('never tries a tool again that says it is non_idempotent, nor one of which the caller says so', async () => {
    const said = await caught(
      executor.execute(failing('non_idempotent'), { city: 'Rome' }, { retry: 5, effect: 'pure' }),
    );
    const told = await caught(
      executor.execute(failing('pure'), { city: 'Rome' }, { retry: 5, effect: 'non_idempotent' }),
    );

    expect([said, told]).toEqual([
      expect.objectContaining({ code: 'ECONNRESET' }),
      expect.objectContaining({ code: 'ECONNRESET' }),
    ]);
  });

  it('throws an error result, with the call', async () => {
    const error = await caught(
      executor.execute(
        tool(async () => ({ output: 'No such city', isError: true })),
        { city: 'Atlantis' },
        { retry: 3 },
      ),
    );

    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({
      message: 'Tool execution failed: weather: No such city',
      toolName: 'weather',
      input: { city: 'Atlantis' },
    });
  });

  it('hands the tool its signal, its key and the workspace', async () => {
    const workspace: Workspace = memoryWorkspace({ files: { 'note.txt': 'hello' } });
    const reads = tool(async (_input, context) => {
      const text = new TextDecoder().decode(await context.workspace.readFile('note.txt'));
      return { text, key: context.idempotencyKey, aborted: context.signal.aborted, cwd: context.cwd };
    });
    const withDoors = new ToolExecutor({ workspace });

    expect(await withDoors.execute(reads, { city: 'Rome' }, { idempotencyKey: 'k' })).toEqual({
      text: 'hello',
      key: 'k',
      aborted: false,
      cwd: workspace.cwd,
    });
    expect(await caught(executor.execute(reads, { city: 'Rome' }))).toMatchObject({
      code: 'NO_WORKSPACE',
      message: 'There is no workspace for readFile; give the ToolExecutor a workspace',
    });
  });

  it('leads a stream to its end that yields after its time was up', async () => {
    const closed = vi.fn<() => void>();
    const slow = tool(async function* () {
      try {
        await new Promise((resolve) => setTimeout(resolve, 100));
        yield 'late';
        yield 'never read';
      } finally {
        closed();
      }
    });
    const late = vi.fn<(settlement: unknown) => void>();
    const ended = caught(executor.execute(slow, { city: 'Rome' }, { timeout: 10, onLateSettlement: late }));
    await vi.runAllTimersAsync();

    expect(await ended).toMatchObject({ code: 'TIMEOUT' });
    expect(closed).toHaveBeenCalledOnce();
    expect(late).toHaveBeenCalledWith(
      expect.objectContaining({
        tool: 'weather',
        outcome: { status: 'rejected', reason: expect.objectContaining({ code: 'ABORTED' }) },
      }),
    );
  });

  it('limits it by its name', async () => {
    const limited = new ToolExecutor({ rateLimit: { perTool: { limit: 1, window: 1_000 } }, maxQueue: 0 });
    const one = tool(async () => 'one');
    await limited.execute(one, { city: 'Rome' });

    expect(await caught(limited.execute(one, { city: 'Rome' }))).toMatchObject({
      message: expect.stringContaining('tool weather'),
    });
  });
});

describe('invoke', () => {
  it('runs an implementation of a registry within the limits of the executor', async () => {
    const { invoke } = new ToolExecutor({ timeout: 10 });
    const signal = new AbortController().signal;

    expect(await invoke(async (parameters: { a: number }) => parameters.a, { a: 1 }, { tool: 'add', signal })).toBe(1);
    const ended = caught(invoke(() => new Promise(() => undefined), {}, { tool: 'stuck', signal }));
    await vi.advanceTimersByTimeAsync(10);
    expect(await ended).toMatchObject({ code: 'TIMEOUT' });
  });

  it('tries again only what is known to bear it', async () => {
    const { invoke } = new ToolExecutor({ retry: 2, retryDelay: 1 });
    const work = vi.fn<() => Promise<never>>(() => Promise.reject(Object.assign(new Error('m'), { code: 'EPIPE' })));

    const unknown = caught(invoke(work, {}, { tool: 'pay' }));
    await vi.runAllTimersAsync();
    expect(await unknown).toMatchObject({ code: 'EPIPE' });
    expect(work).toHaveBeenCalledTimes(1);
    const known = caught(invoke(work, {}, { tool: 'pay', effect: 'idempotent' }));
    await vi.runAllTimersAsync();
    expect(await known).toMatchObject({ code: 'EPIPE' });
    expect(work).toHaveBeenCalledTimes(4);
  });
});
