import type { Tool, ToolStream } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { agentOf, call, chrome, echo, roleOf, started } from '../test/runtimes.ts';

const patience = { timeout: 45_000 };

describe('Runtime', () => {
  it('refuses a tool outside the role word by word, and does not call it', async () => {
    const calls: unknown[] = [];
    const runtime = await started({ config: { modules: [chrome('chrome', (...call) => calls.push(call))] } });
    const agentId = await agentOf(runtime, ['workspace']);

    expect(await call(runtime, agentId, 'navigate')).toEqual({
      error: 'tool_not_available',
      toolName: 'navigate',
      message: '工具 navigate 对此岗位不可用',
    });
    expect(await call(runtime, 'root', 'navigate')).toMatchObject({ error: 'tool_not_available' });
    expect(calls).toEqual([]);
  });

  it('says so when a tool is registered nowhere, and when nothing was handed in that runs it', async () => {
    const runtime = await started();
    const agentId = await agentOf(runtime, ['workspace']);

    expect(await call(runtime, agentId, 'read_mind')).toEqual({
      error: 'unknown_tool',
      toolName: 'read_mind',
      message: '工具 read_mind 不存在',
    });
    expect(await call(runtime, agentId, 'read_file')).toMatchObject({
      error: 'tool_not_implemented',
      toolName: 'read_file',
      message: expect.stringContaining('read_file') as unknown,
    });
  });

  it('takes the agent from the context, and refuses one that is missing or contradicts itself', async () => {
    const runtime = await started({ tools: [echo('http_request')] });
    const agentId = await agentOf(runtime, ['network']);
    const other = await agentOf(runtime, []);
    const run = (agent: object) => runtime.executeToolCall({ ...agent }, 'http_request', { text: 'x' });

    expect(await run({ agent: { id: agentId } })).toBe('x');
    expect(await run({ agent: { id: agentId, roleId: roleOf(runtime, agentId) } })).toBe('x');
    for (const [id, roleId] of [
      [agentId, roleOf(runtime, other)],
      [other, roleOf(runtime, agentId)],
    ]) {
      expect(await run({ agent: { id, roleId } })).toMatchObject({ error: 'tool_not_available' });
    }
    expect(await run({})).toMatchObject({ error: 'tool_not_available' });
    expect(await run({ agent: null })).toMatchObject({ error: 'tool_not_available' });
    expect(await runtime.executeToolCall(undefined as never, 'http_request', {})).toMatchObject({
      error: 'tool_not_available',
    });
  });

  it('hands context and arguments to the module as they are, and answers with its value', async () => {
    const calls: unknown[][] = [];
    const module = chrome('chrome', (...call) => {
      calls.push(call);
      return { page: 1 };
    });
    const runtime = await started({ config: { modules: [module] } });
    const ctx = { agent: { id: await agentOf(runtime, ['chrome']) }, trace: 'abc' };
    const args = { url: 'x' };

    expect(await runtime.executeToolCall(ctx, 'navigate', args)).toEqual({ page: 1 });

    expect(calls).toEqual([[ctx, 'navigate', args]]);
    expect(calls[0]?.[0]).toBe(ctx);
    expect(calls[0]?.[2]).toBe(args);
  });

  it('answers with what a tool threw', async () => {
    const module = chrome('chrome', () => {
      throw new Error('no browser');
    });
    const runtime = await started({ config: { modules: [module] }, tools: [echo('http_request')] });
    const agentId = await agentOf(runtime);

    expect(await call(runtime, agentId, 'navigate')).toEqual({
      error: 'tool_execution_error',
      toolName: 'navigate',
      message: 'no browser',
    });
    expect(await call(runtime, agentId, 'http_request', { wrong: 1 })).toMatchObject({
      error: 'validation_error',
      toolName: 'http_request',
    });
  });

  it('ends the wait for a tool when the caller or the agent is gone', async () => {
    const module = chrome('chrome', () => new Promise(() => undefined));
    const runtime = await started({ config: { modules: [module] } });
    const [one, two] = [await agentOf(runtime, ['chrome']), await agentOf(runtime, ['chrome'])];
    const controller = new AbortController();
    const ctx = { agent: { id: one }, signal: controller.signal };
    const [first, second] = [runtime.executeToolCall(ctx, 'click', {}), call(runtime, two, 'click')];

    controller.abort();
    await runtime.terminateAgent(two);

    expect(await first).toMatchObject({ error: 'aborted', toolName: 'click' });
    expect(await second).toMatchObject({ error: 'aborted' });
    expect(await runtime.executeToolCall(ctx, 'click', {})).toMatchObject({ error: 'aborted' });
  });

  it('ends the wait for a tool of the host when it is shut down, and runs none from then on', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const stuck: Tool = {
      ...echo('http_request'),
      async *execute(_, { signal }): ToolStream {
        signals.push(signal);
        return await new Promise<never>(() => undefined);
      },
    };
    const runtime = await started({ tools: [stuck] });
    const id = await agentOf(runtime);
    const waiting = call(runtime, id, 'http_request', { text: 'x' });
    await vi.waitFor(() => expect(signals).toHaveLength(1), patience);

    await runtime.shutdown();

    expect(await waiting).toMatchObject({ error: 'aborted' });
    expect(await call(runtime, id, 'http_request', { text: 'x' })).toMatchObject({ error: 'tool_not_available' });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});
