import { SpanStatusCode } from '@opentelemetry/api';
import { AgentError, type AgentEvent, type AgentHandler } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asks, miniRun, type SpanCollector, spanCollector, spanNamed, traced, treeOf } from '../../test/spans.ts';
import { answering, callOf, configOf, nextTurn, run, tool } from '../../test/values.ts';
import { Pipeline } from '../pipeline.ts';
import { telemetryHandler } from './telemetry-handler.ts';

let collector: SpanCollector;
beforeEach(async () => {
  collector = await spanCollector();
});
afterEach(() => collector.close());

describe('telemetryHandler', () => {
  it('marks a model call that failed, and its run, by the code of the error', async () => {
    const error = new AgentError('SECRET prompt was refused', { code: 'RATE_LIMIT_EXCEEDED' });

    await expect(traced(collector, { script: [{ text: 'a', error }] })).rejects.toBe(error);

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
    await expect(traced(collector, { script: [{ error }] })).rejects.toBe(error);

    expect(spanNamed(collector, 'chat gpt-x').attributes['error.type']).toBe(type);
  });

  it.each([
    ['a failure of the tool', { output: 'SECRET', isError: true }, 'tool_error'],
    ['a call that was not run', { output: 'SECRET', isError: true, interrupted: 'not_run' as const }, 'not_run'],
    ['an effect nobody knows', { output: 'SECRET', isError: true, interrupted: 'unknown' as const }, 'unknown_effect'],
  ])('marks the answer to a call: %s', async (_, result, type) => {
    const answers: AgentHandler = { name: 'answers', wrapInvokableToolCall: async () => result };

    await traced(collector, { script: [asks('a'), {}], tools: [tool('a')], handlers: [answers] });

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

    await traced(collector, { script: [asks('a'), {}], tools: [tool('a')], handlers: [denies] });

    expect(spanNamed(collector, 'execute_tool a').attributes).toMatchObject({
      'error.type': 'permission_denied',
      'agent_sdk.permission.step': 'callback',
    });
  });

  it('does not take the name of a tool that does not exist from the model', async () => {
    await traced(collector, { script: [asks('SECRET'), {}] });

    const { attributes } = spanNamed(collector, 'execute_tool unknown_tool');
    expect(attributes).toMatchObject({ 'gen_ai.tool.name': 'unknown_tool', 'error.type': 'tool_not_found' });
  });

  it('marks the call and the run when a handler throws', async () => {
    const handler: AgentHandler = { name: 'x', wrapInvokableToolCall: () => Promise.reject(new Error('broken')) };

    await expect(traced(collector, { script: [asks('a')], tools: [tool('a')], handlers: [handler] })).rejects.toThrow(
      'broken',
    );

    expect(spanNamed(collector, 'execute_tool a').attributes['error.type']).toBe('Error');
    expect(spanNamed(collector, 'invoke_agent main').attributes['agent_sdk.outcome']).toBe('error');
  });

  it('has a span for a run that fails before its first call', async () => {
    const refuses: AgentHandler = { name: 'x', beforeAgent: () => Promise.reject(new Error('no')) };

    await expect(traced(collector, { script: [{}], handlers: [refuses] })).rejects.toThrow('no');

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
    await traced(collector, { script: [{}], subtype });

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

    await expect(traced(collector, { script: [{}] }, { cost })).rejects.toThrow('no prices');

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
});
