import { SpanStatusCode } from '@opentelemetry/api';
import { AgentError, type AgentEvent, type AgentHandler, type RunContext } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activeName, inner, type MiniRun, miniRun, spanCollector, spanNamed, treeOf } from '../../test/spans.ts';
import { answering, callOf, configOf, nextTurn, run, tool } from '../../test/values.ts';
import { Pipeline } from '../pipeline.ts';
import { telemetryHandler } from './telemetry-handler.ts';

let collector: Awaited<ReturnType<typeof spanCollector>>;
beforeEach(async () => {
  collector = await spanCollector();
});
afterEach(() => collector.close());

/** A run under telemetry, read to its end; failures are the caller's to see. */
function traced(parts: Partial<MiniRun> & Pick<MiniRun, 'script'>, options: Partial<MiniRun['telemetry']> = {}) {
  return collect(miniRun({ ...parts, telemetry: { tracer: collector.tracer, ...options } }));
}

const asks = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });

describe('telemetryHandler', () => {
  it('has a span for the run, below it one for each model call and each tool call', async () => {
    await traced({ script: [asks('a'), { text: 'done' }], tools: [tool('a')] });

    expect(treeOf(collector)).toEqual(['invoke_agent main', '  chat gpt-x', '  execute_tool a', '  chat gpt-x']);
    expect(collector.spans().map(({ kind }) => kind)).toEqual([2, 0, 2, 0]);
  });

  it('says which agent, session, model and reply, and what was used', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 7, reasoningTokens: 5 };

    await traced({ script: [{ text: 'hello', usage }] });

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

  it('leaves out counts that were not reported, and adds up the calls of a run', async () => {
    await traced({ script: [asks('a'), {}], tools: [tool('a')] });

    const { attributes } = spanNamed(collector, 'invoke_agent main');
    expect(attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 10 });
    expect(Object.keys(attributes)).not.toContain('gen_ai.usage.cache_read.input_tokens');
  });

  it('names the tool and the call', async () => {
    await traced({ script: [{ toolCalls: [{ id: 'c7', name: 'a' }] }, {}], tools: [tool('a')] });

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

    await traced({ script: [asks('a', 'b'), {}], tools: [works('a'), works('b')] });

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

    await traced({ script: [asks('Task', 'other'), {}], tools: [task, tool('other')] });

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

    await collector.tracer.activate(outer)(() => traced({ script: [{ text: 'a' }] }));
    outer.end();

    expect(treeOf(collector)).toEqual(['request', '  invoke_agent main', '    chat gpt-x']);
  });

  it('adds the cost where it is known', async () => {
    const costs = [0.25, undefined];
    const asked: unknown[] = [];

    await traced(
      { script: [asks('a'), {}], tools: [tool('a')] },
      { cost: (facts) => (asked.push(facts), costs.shift()) },
    );

    const dollars = collector.spans().map(({ attributes }) => attributes['gen_ai.usage.cost']);
    expect(dollars).toEqual([0.25, undefined, undefined, undefined]);
    expect(asked[0]).toMatchObject({ provider: 'scripted', model: 'gpt-x', usage: { inputTokens: 10 } });
  });

  it('marks a model call that failed, and its run, by the code of the error', async () => {
    const error = new AgentError('SECRET prompt was refused', { code: 'RATE_LIMIT_EXCEEDED' });

    await expect(traced({ script: [{ text: 'a', error }] })).rejects.toBe(error);

    for (const name of ['chat gpt-x', 'invoke_agent main']) {
      const { attributes, status } = spanNamed(collector, name);
      expect(attributes['error.type']).toBe('RATE_LIMIT_EXCEEDED');
      expect(status).toEqual({ code: SpanStatusCode.ERROR });
    }
  });

  it.each([
    [new TypeError('x'), 'TypeError'],
    ['SECRET text', '_OTHER'],
  ])('names a foreign error by its kind (%s)', async (error, type) => {
    await expect(traced({ script: [{ error }] })).rejects.toBe(error);

    expect(spanNamed(collector, 'chat gpt-x').attributes['error.type']).toBe(type);
  });

  it.each([
    ['a failure of the tool', { output: 'SECRET', isError: true }, 'tool_error'],
    ['a call that was not run', { output: 'SECRET', isError: true, interrupted: 'not_run' as const }, 'not_run'],
    ['an effect nobody knows', { output: 'SECRET', isError: true, interrupted: 'unknown' as const }, 'unknown_effect'],
  ])('marks the answer to a call: %s', async (_, result, type) => {
    const answers: AgentHandler = { name: 'answers', wrapInvokableToolCall: async () => result };

    await traced({ script: [asks('a'), {}], tools: [tool('a')], handlers: [answers] });

    const { attributes, status } = spanNamed(collector, 'execute_tool a');
    expect(attributes['error.type']).toBe(type);
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(spanNamed(collector, 'invoke_agent main').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('says at which step of the permissions a call was refused', async () => {
    const denies: AgentHandler = {
      name: 'denies',
      async *wrapToolCall(call) {
        yield { type: 'permission', id: call.id, decision: 'ask', step: 'mode', reason: 'SECRET' };
        yield { type: 'permission', id: call.id, decision: 'deny', step: 'callback', reason: 'SECRET' };
        return { output: 'SECRET', isError: true, interrupted: 'not_run' };
      },
    };

    await traced({ script: [asks('a'), {}], tools: [tool('a')], handlers: [denies] });

    expect(spanNamed(collector, 'execute_tool a').attributes).toMatchObject({
      'error.type': 'permission_denied',
      'agent_sdk.permission.step': 'callback',
    });
  });

  it('does not take the name of a tool that does not exist from the model', async () => {
    await traced({ script: [asks('SECRET'), {}] });

    const { attributes } = spanNamed(collector, 'execute_tool unknown_tool');
    expect(attributes).toMatchObject({ 'gen_ai.tool.name': 'unknown_tool', 'error.type': 'tool_not_found' });
  });

  it('marks the call and the run when a handler throws', async () => {
    const handler: AgentHandler = { name: 'x', wrapInvokableToolCall: () => Promise.reject(new Error('broken')) };

    await expect(traced({ script: [asks('a')], tools: [tool('a')], handlers: [handler] })).rejects.toThrow('broken');

    expect(spanNamed(collector, 'execute_tool a').attributes['error.type']).toBe('Error');
    expect(spanNamed(collector, 'invoke_agent main').attributes['agent_sdk.outcome']).toBe('error');
  });

  it('has a span for a run that fails before its first call', async () => {
    const refuses: AgentHandler = { name: 'x', beforeAgent: () => Promise.reject(new Error('no')) };

    await expect(traced({ script: [{}], handlers: [refuses] })).rejects.toThrow('no');

    expect(treeOf(collector)).toEqual(['invoke_agent main']);
  });

  it('ends the call of a model that ignores the abort at the abort, as no error', async () => {
    const abort = new AbortController();
    const context = { signal: abort.signal };
    const never = new Promise<never>(() => undefined);
    const deaf: AgentHandler = {
      name: 'deaf',
      async *wrapModelCall() {
        return await never;
      },
    };
    const stream = miniRun({ script: [{}], handlers: [deaf], telemetry: { tracer: collector.tracer }, context });
    stream.next().catch(() => undefined);
    await nextTurn();

    abort.abort();

    const { attributes, status } = spanNamed(collector, 'chat gpt-x');
    expect(attributes['agent_sdk.outcome']).toBe('aborted');
    expect(status.code).toBe(SpanStatusCode.UNSET);
  });

  it.each(['max_turns', 'aborted'] as const)('says that a run ended with %s, as no error', async (subtype) => {
    await traced({ script: [{}], subtype });

    const { attributes, status } = spanNamed(collector, 'invoke_agent main');
    expect([attributes['agent_sdk.outcome'], status.code]).toEqual([subtype, SpanStatusCode.UNSET]);
  });

  it('ends everything when the reader leaves', async () => {
    const stream = miniRun({ script: [{ text: ['a', 'b'] }], telemetry: { tracer: collector.tracer } });

    for await (const _ of stream) break;

    expect(treeOf(collector)).toEqual(['invoke_agent main', '  chat gpt-x']);
    expect(spanNamed(collector, 'chat gpt-x').attributes['agent_sdk.outcome']).toBe('aborted');
  });

  it('ends the span also when the cost function throws, and passes its error on', async () => {
    const cost = () => {
      throw new Error('no prices');
    };

    await expect(traced({ script: [{}] }, { cost })).rejects.toThrow('no prices');

    expect(treeOf(collector)).toEqual(['invoke_agent main', '  chat gpt-x']);
  });

  it('ends with the run what a handler around it has left open', async () => {
    const telemetry = telemetryHandler({ tracer: collector.tracer });
    const forgets: AgentHandler = {
      name: 'forgets',
      async *wrapToolCall(call, next) {
        await next(call).next();
        return { output: 'own', isError: false };
      },
    };
    const pipeline = new Pipeline([forgets, telemetry]);
    const self = run();
    async function* loop(): AsyncGenerator<AgentEvent, unknown, void> {
      await pipeline.beforeAgent(configOf(), self);
      return yield* pipeline.callTool(callOf(), answering('ok', 'a', 'b'), self);
    }

    await collect(pipeline.observe(loop(), self));

    expect(treeOf(collector)).toEqual(['invoke_agent main', '  execute_tool t']);
  });

  it('passes calls on that no run was announced for', async () => {
    const handler = telemetryHandler({ tracer: collector.tracer });

    const { value } = await collect(handler.wrapToolCall!(callOf(), answering('ok'), run()));

    expect(value.output).toBe('ok');
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
