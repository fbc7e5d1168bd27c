import {
  type AgentConfig,
  defineTool,
  type Journal,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  type ToolStream,
  userMessage,
  type Workspace,
} from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BaseAgentHandler } from './base-agent-handler.ts';
import { Pipeline } from './pipeline.ts';

const run = (): RunContext => ({
  sessionId: 's',
  runId: 'r',
  agentName: 'main',
  messageId: 'm',
  depth: 0,
  signal: new AbortController().signal,
  journal: {} as Journal, // nothing below writes
  emit: () => undefined,
});
const call = (streaming: boolean, input: unknown = {}): ToolCall => ({
  id: 'c',
  name: 't',
  input,
  tool: defineTool({
    name: 't',
    description: 'd',
    inputSchema: z.object({}),
    streaming,
    execute: async () => '',
  }) as Tool,
  workspace: {} as Workspace, // nothing below touches the world
  signal: new AbortController().signal,
});
const result: ToolResult = { output: 'ok', isError: false };
const answers: ToolNext = async function* () {
  return result;
};
const refusal: ToolResult = { output: 'refused', isError: true };

class PromiseGuard extends BaseAgentHandler {
  override async wrapInvokableToolCall(): Promise<ToolResult> {
    return refusal;
  }
}
class StreamGuard extends BaseAgentHandler {
  override async *wrapStreamableToolCall(): ToolStream {
    return refusal;
  }
}
class PoliteGuard extends BaseAgentHandler {
  override async wrapInvokableToolCall(
    given: ToolCall,
    next: (call: ToolCall) => Promise<ToolResult>,
    current: RunContext,
  ): Promise<ToolResult> {
    const inner = await super.wrapInvokableToolCall(given, next, current);
    return { ...inner, output: `<${inner.output}>` };
  }
}
class PoliteStreamGuard extends BaseAgentHandler {
  override async *wrapStreamableToolCall(given: ToolCall, next: ToolNext, current: RunContext): ToolStream {
    const inner = yield* super.wrapStreamableToolCall(given, next, current);
    return { ...inner, output: `<${inner.output}>` };
  }
}
class GrandchildGuard extends PromiseGuard {}

describe('BaseAgentHandler', () => {
  it('has the name it was given, and needs one', () => {
    expect(new BaseAgentHandler('mine').name).toBe('mine');
    expect(() => new BaseAgentHandler(undefined as never)).toThrow('A handler needs a name');
  });

  it('passes on the same config, the same messages and the same result', async () => {
    const handler = new BaseAgentHandler('nothing');
    const config: AgentConfig = { instruction: '', tools: [], input: [], options: { maxTurns: 1 } };
    const messages = [userMessage('hi')];
    const given = call(false);
    const next = vi.fn<(one: ToolCall) => Promise<ToolResult>>(async () => result);

    expect(handler.beforeAgent(config, run())).toBe(config);
    expect(handler.beforeModelRewriteHistory(messages, run())).toBe(messages);
    expect(handler.afterModelRewriteHistory(messages, run())).toBe(messages);
    expect(await handler.wrapInvokableToolCall(given, next, run())).toBe(result);
    expect((await collect(handler.wrapStreamableToolCall(given, answers, run()))).value).toBe(result);
    expect(next).toHaveBeenCalledExactlyOnceWith(given);
  });

  it.each([false, true])('changes nothing in a pipeline, for a tool that streams: %s', async (streaming) => {
    const pipeline = new Pipeline([new BaseAgentHandler('nothing'), { name: 'x' }]);

    expect((await collect(pipeline.callTool(call(streaming), answers, run()))).value).toBe(result);
  });

  it.each([
    ['the promise form', new PromiseGuard('guard'), false],
    ['the promise form', new PromiseGuard('guard'), true],
    ['the stream form', new StreamGuard('guard'), false],
    ['the stream form', new StreamGuard('guard'), true],
    ['the promise form, inherited', new GrandchildGuard('guard'), false],
    ['the promise form, inherited', new GrandchildGuard('guard'), true],
  ])('%s alone binds both kinds of tools: %#', async (_, guard, streaming) => {
    const tool = vi.fn<ToolNext>(answers);

    const { value } = await collect(new Pipeline([guard]).callTool(call(streaming), tool, run()));

    expect(value).toBe(refusal);
    expect(tool).not.toHaveBeenCalled();
  });

  it.each([false, true])('a form set as a field of the object binds both kinds too: %s', async (streaming) => {
    const guard = new BaseAgentHandler('guard');
    guard.wrapInvokableToolCall = async () => refusal;

    const { value } = await collect(new Pipeline([guard]).callTool(call(streaming), answers, run()));

    expect(value).toBe(refusal);
  });

  it.each([
    ['promise', new PoliteGuard('polite')],
    ['stream', new PoliteStreamGuard('polite')],
  ])('super of the %s form does nothing but go on', async (_, guard) => {
    const pipeline = new Pipeline([guard]);

    expect((await collect(pipeline.callTool(call(false), answers, run()))).value.output).toBe('<ok>');
    expect((await collect(pipeline.callTool(call(true), answers, run()))).value.output).toBe('<ok>');
  });

  it('both forms go by the kind of the tool', async () => {
    class Both extends PromiseGuard {
      override async *wrapStreamableToolCall(): ToolStream {
        return { output: 'streamed', isError: true };
      }
    }
    const pipeline = new Pipeline([new Both('both')]);

    expect((await collect(pipeline.callTool(call(false), answers, run()))).value.output).toBe('refused');
    expect((await collect(pipeline.callTool(call(true), answers, run()))).value.output).toBe('streamed');
  });
});

describe('a handler of its own class with a cache', () => {
  class CachingHandler extends BaseAgentHandler {
    readonly #cache = new Map<string, ToolResult>();

    override async beforeAgent(config: AgentConfig): Promise<AgentConfig> {
      return { ...config, instruction: `${config.instruction}\nextra` };
    }

    override async wrapInvokableToolCall(
      given: ToolCall,
      next: (one: ToolCall) => Promise<ToolResult>,
    ): Promise<ToolResult> {
      const key = `${given.name}:${JSON.stringify(given.input)}`;
      const cached = this.#cache.get(key);
      if (cached) return cached;
      const fresh = await next(given);
      if (!fresh.isError) this.#cache.set(key, fresh);
      return fresh;
    }
  }

  it('calls the tool once for two equal calls, and again for another input', async () => {
    const pipeline = new Pipeline([new CachingHandler('cache')]);
    const tool = vi.fn<ToolNext>(answers);

    await collect(pipeline.callTool(call(false, { a: 1 }), tool, run()));
    await collect(pipeline.callTool(call(false, { a: 1 }), tool, run()));
    await collect(pipeline.callTool(call(false, { a: 2 }), tool, run()));

    expect(tool).toHaveBeenCalledTimes(2);
  });

  it('does not keep errors', async () => {
    const pipeline = new Pipeline([new CachingHandler('cache')]);
    const tool = vi.fn<ToolNext>(async function* () {
      return refusal;
    });

    await collect(pipeline.callTool(call(false), tool, run()));
    await collect(pipeline.callTool(call(false), tool, run()));

    expect(tool).toHaveBeenCalledTimes(2);
  });

  it('shares nothing with another instance', async () => {
    const tool = vi.fn<ToolNext>(answers);

    await collect(new Pipeline([new CachingHandler('one')]).callTool(call(false), tool, run()));
    await collect(new Pipeline([new CachingHandler('two')]).callTool(call(false), tool, run()));

    expect(tool).toHaveBeenCalledTimes(2);
  });

  it('loses no entry and mixes none up under 50 parallel calls', async () => {
    const pipeline = new Pipeline([new CachingHandler('cache')]);
    const echo: ToolNext = async function* (given) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return { output: JSON.stringify(given.input), isError: false };
    };
    const tool = vi.fn<ToolNext>(echo);
    const inputs = Array.from({ length: 50 }, (_, index) => ({ index }));
    const all = () => Promise.all(inputs.map((input) => collect(pipeline.callTool(call(false, input), tool, run()))));

    const first = await all();
    const second = await all();

    expect(first.map((one) => one.value.output)).toEqual(inputs.map((input) => JSON.stringify(input)));
    expect(second.map((one) => one.value.output)).toEqual(first.map((one) => one.value.output));
    expect(tool).toHaveBeenCalledTimes(50);
  });
});
