import type { RunContext } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replied } from '../../test/histories.ts';
import {
  activeName,
  asks,
  inner,
  miniRun,
  type SpanCollector,
  spanCollector,
  spanNamed,
  traced,
  treeOf,
} from '../../test/spans.ts';
import { answering, callOf, run, tool } from '../../test/values.ts';
import { replyAttributes } from './attributes.ts';
import { telemetryHandler } from './telemetry-handler.ts';

let collector: SpanCollector;
beforeEach(async () => {
  collector = await spanCollector();
});
afterEach(() => collector.close());

describe('telemetryHandler', () => {
  it('has a span for the run, below it one for each model call and each tool call', async () => {
    await traced(collector, { script: [asks('a'), { text: 'done' }], tools: [tool('a')] });

    expect(treeOf(collector)).toEqual(['invoke_agent main', '  chat gpt-x', '  execute_tool a', '  chat gpt-x']);
    expect(collector.spans().map(({ kind }) => kind)).toEqual([2, 0, 2, 0]);
  });

  it('says which agent, session, model and reply, and what was used', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 7, reasoningTokens: 5 };

    await traced(collector, { script: [{ text: 'hello', usage }] });

    expect(spanNamed(collector, 'chat gpt-x').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': 'main',
      'gen_ai.conversation.id': 's',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'gpt-x',
      'gen_ai.response.id': expect.any(String),
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.cache_creation.input_tokens': 7,
      'gen_ai.usage.reasoning.output_tokens': 5,
    });
    expect(spanNamed(collector, 'invoke_agent main').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100,
      'agent_sdk.outcome': 'success',
    });
  });

  it('names id and model of the reply as the service does, where it has', () => {
    const reply = { ...replied({ second: 1 }), model: 'gpt-x' };
    const response = { id: 'chatcmpl-1', model: 'gpt-x-2026-01-01' };

    expect(replyAttributes({ ...reply, response }, undefined)).toMatchObject({
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.model': 'gpt-x-2026-01-01',
    });
    expect(replyAttributes({ ...reply, response: { requestId: 'r' } }, undefined)).toMatchObject({
      'gen_ai.response.id': reply.id,
      'gen_ai.response.model': 'gpt-x',
    });
  });

  it('leaves out counts that were not reported, and adds up the calls of a run', async () => {
    await traced(collector, { script: [asks('a'), {}], tools: [tool('a')] });

    const { attributes } = spanNamed(collector, 'invoke_agent main');
    expect(attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 10 });
    expect(Object.keys(attributes)).not.toContain('gen_ai.usage.cache_read.input_tokens');
  });

  it('names the tool and the call', async () => {
    await traced(collector, { script: [{ toolCalls: [{ id: 'c7', name: 'a' }] }, {}], tools: [tool('a')] });

    expect(spanNamed(collector, 'execute_tool a').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': 'main',
      'gen_ai.conversation.id': 's',
      'gen_ai.tool.name': 'a',
      'gen_ai.tool.call.id': 'c7',
      'gen_ai.tool.type': 'function',
    });
  });

  it('has what a tool starts below the span of its own call, also beside other calls', async () => {
    const works = (name: string) =>
      tool(name, {
        async *execute() {
          inner(collector, `${name} 1`);
          yield name;
          await Promise.resolve();
          inner(collector, `${name} 2`);
        },
      });

    await traced(collector, { script: [asks('a', 'b'), {}], tools: [works('a'), works('b')] });

    expect(treeOf(collector)).toEqual([
      'invoke_agent main',
      '  chat gpt-x',
      '  execute_tool a',
      '    a 1',
      '    a 2',
      '  execute_tool b',
      '    b 1',
      '    b 2',
      '  chat gpt-x',
    ]);
  });

  it('leaves the reader of the events in the context it was in', async () => {
    const seen = new Set<string | undefined>();
    const stream = miniRun({ script: [{ text: ['a', 'b'] }], telemetry: { tracer: collector.tracer } });

    for await (const _ of stream) seen.add(activeName());

    expect([...seen]).toEqual([undefined]);
  });

  it('has the run of a subagent below the call that started it', async () => {
    const task = tool('Task', {
      async *execute(_, { run: self, callId }) {
        const child = { run: self, callId };
        const context: Partial<RunContext> = { agentName: 'helper', depth: 1, parent: child };
        yield* miniRun({ script: [{ text: 'x' }], telemetry: { tracer: collector.tracer }, context });
      },
    });

    await traced(collector, { script: [asks('Task', 'other'), {}], tools: [task, tool('other')] });

    expect(treeOf(collector)).toEqual([
      'invoke_agent main',
      '  chat gpt-x',
      '  execute_tool Task',
      '    invoke_agent helper',
      '      chat gpt-x',
      '  execute_tool other',
      '  chat gpt-x',
    ]);
  });

  it('has the run below the span that its reader is in', async () => {
    const outer = collector.tracer.startSpan('request', { kind: 0, attributes: {} });

    await collector.tracer.activate(outer)(() => traced(collector, { script: [{ text: 'a' }] }));
    outer.end();

    expect(treeOf(collector)).toEqual(['request', '  invoke_agent main', '    chat gpt-x']);
  });

  it('adds the cost where it is known', async () => {
    const costs = [0.25, undefined];
    const asked: unknown[] = [];

    await traced(
      collector,
      { script: [asks('a'), {}], tools: [tool('a')] },
      { cost: (facts) => (asked.push(facts), costs.shift()) },
    );

    const dollars = collector.spans().map(({ attributes }) => attributes['gen_ai.usage.cost']);
    expect(dollars).toEqual([0.25, undefined, undefined, undefined]);
    expect(asked[0]).toMatchObject({ provider: 'scripted', model: 'gpt-x', usage: { inputTokens: 10 } });
  });

  it('has the cost that a model says of its reply', () => {
    const attributes = replyAttributes({ ...replied(), cost: 0.5 }, () => 7);

    expect(attributes['gen_ai.usage.cost']).toBe(0.5);
  });

  it('passes calls on that no run was announced for', async () => {
    const handler = telemetryHandler({ tracer: collector.tracer });

    const { value } = await collect(handler.wrapToolCall!(callOf(), answering('ok'), run()));
    const model = () => Promise.reject(new Error('the model itself'));
    const request = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
    const asked = handler.wrapModelCall!(
      request,
      async function* () {
        return await model();
      },
      run(),
    );

    expect(value.output).toBe('ok');
    await expect(collect(asked)).rejects.toThrow('the model itself');
    expect(collector.started).toEqual([]);
  });

  it.each([
    [{}, 'tracer'],
    [{ tracer: {} }, 'tracer'],
    [{ tracer: { startSpan() {}, activate() {} }, recordContents: true }, 'recordContents'],
    [{ tracer: { startSpan() {}, activate() {} }, recordContent: 'yes' }, 'recordContent'],
    [{ tracer: { startSpan() {}, activate() {} }, cost: 1 }, 'cost'],
  ])('refuses %j', (options, field) => {
    expect(() => telemetryHandler(options as never)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field }),
    );
  });
});
