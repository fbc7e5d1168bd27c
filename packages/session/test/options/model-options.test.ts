import { AgentError, type AgentEvent, type AgentHandler } from '@x/core';
import { noUsage } from '@x/core/internal';
import { type Script, scriptedModel } from '@x/core/testing';
import type { TracerLike } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { bodiesOf, echoTool, only, resultOf, say, scriptedSession, shownTo, toolNamed } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

const overloaded = (facts: object = {}) =>
  Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true }), facts);

/** Models by name, each with its script; and the notifications of the session. */
async function withModels(scripts: Readonly<Record<string, Script>>, options: Partial<SessionOptions> = {}) {
  const told: string[] = [];
  const watcher: AgentHandler = {
    name: 'see',
    onEvent: (event) => void (event.type === 'notification' && told.push(event.kind)),
  };
  const provider: CustomProvider = {
    type: 'custom',
    createModel: (name) => scriptedModel(scripts[name] ?? [], { name, contextWindow: 1_000 }),
  };
  const handlers = [watcher, ...(options.handlers ?? [])];
  const session = await createSession({ provider, model: 'main', store: memoryStore(), ...options, handlers });
  return { session, told };
}

describe('a model that fails', () => {
  it('is asked again, up to three times, before the run fails', async () => {
    let asked = 0;
    const failing: Script = () => (asked++, { error: overloaded({ retryAfter: 0.001 }) });
    const { session, told } = await withModels({ main: failing });

    const result = resultOf(await say(session, 'Begin.'));

    expect(result).toMatchObject({ subtype: 'error', error: 'overloaded' });
    expect(asked).toBe(3);
    expect(told).toEqual(['model_retry', 'model_retry']);
  });

  it('retryBudgetMs: is not asked again when there is no time for it', async () => {
    let asked = 0;
    const { session } = await withModels({ main: () => (asked++, { error: overloaded() }) }, { retryBudgetMs: 0 });

    await say(session, 'Begin.');

    expect(asked).toBe(1);
  });

  it('fallbackModel: gives way to it for the rest of the run, which says so', async () => {
    const main: Script = () => ({ error: overloaded() });
    const spare: Script = (_, turn) =>
      turn === 1 ? { toolCalls: [{ name: 'echo', input: { text: 'a' } }] } : { text: 'From the spare one.' };
    const options = { fallbackModel: 'spare', retryBudgetMs: 0, tools: [echoTool()] };
    const { session, told } = await withModels({ main, spare }, options);

    const result = resultOf(await say(session, 'Begin.'));

    expect(result).toMatchObject({ subtype: 'success', content: 'From the spare one.' });
    expect(told).toEqual(['fallback_model']);
    expect(session.messages.flatMap((message) => (message.role === 'assistant' ? message.model : []))).toEqual([
      'spare',
      'spare',
    ]);
  });

  it('fallbackModel: may be of another provider', async () => {
    const other: CustomProvider = { type: 'custom', createModel: (name) => scriptedModel([{ text: 'Hi.' }], { name }) };
    const fallbackModel = { provider: other, model: 'elsewhere' };
    const { session } = await withModels(
      { main: () => ({ error: overloaded() }) },
      { fallbackModel, retryBudgetMs: 0 },
    );

    expect(resultOf(await say(session, 'Begin.')).content).toBe('Hi.');
  });

  it('ends a run that goes round in circles', async () => {
    const { session } = await scriptedSession(() => ({ toolCalls: [{ name: 'missing' }] }));

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result')).toHaveLength(5);
    expect(only(events, 'error')).toMatchObject([{ code: 'TOOL_LOOP' }]);
    expect(resultOf(events).subtype).toBe('error');
  });
});

describe('a history that fills the window', () => {
  const long = 'word '.repeat(1_000);
  const script: Script = ({ tools, messages }) => {
    if (tools.length === 0) return { text: 'They spoke of words.' };
    return { text: `Reply to ${messages.length}.`, usage: { inputTokens: 900, outputTokens: 5, totalTokens: 905 } };
  };

  it('is compacted for the model, in the session and after a resume, and stays in the log', async () => {
    const store = memoryStore();
    const { session } = await withModels({ main: script }, { store });
    await say(session, long);
    await say(session, 'And now?');
    await say(session, 'And then?');
    await session.close();
    const { session: again, model } = await resumed(store, session.sessionId, [{ text: 'Last.' }]);
    const [summary] = again.messages;

    await say(again, 'Go on.');

    expect(summary).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('They spoke of words.') }],
    });
    expect(shownTo(model, 0)[0]).toContain('They spoke of words.');
    expect(shownTo(model, 0).join()).not.toContain(long);
    expect(JSON.stringify(await bodiesOf(store, session.sessionId))).toContain(long);
    const record = (await bodiesOf(store, session.sessionId)).find(
      (body) => body.type === 'record' && body.record.type === 'compaction',
    );
    expect(record).toMatchObject({ record: { id: summary?.id, createdAt: summary?.createdAt } });
  });

  it('is compacted when the service says that it does not fit, and the run goes on', async () => {
    const tooLong = new AgentError('too long', { code: 'MODEL_ERROR', details: { code: 'context_length_exceeded' } });
    const overflowing: Script = ({ tools, messages }) => {
      if (tools.length === 0) return { text: 'A summary.' };
      const fits = messages.length < 5 || !JSON.stringify(messages).includes(long);
      return fits
        ? { text: `It fits, ${messages.length}.` }
        : { error: Object.assign(tooLong, { contextOverflow: true }) };
    };
    const provider: CustomProvider = { type: 'custom', createModel: (name) => scriptedModel(overflowing, { name }) };
    const { session } = await withModels({}, { provider });
    await say(session, long);
    await say(session, 'And now?');

    const events = await say(session, 'And then?');

    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'It fits, 4.' });
    expect(session.messages[0]).toMatchObject({ content: [{ text: expect.stringContaining('A summary.') }] });
  });
});

describe('usage()', () => {
  const cost = { input: 1, output: 10 };
  const script: Script = [{ text: 'Hi.', usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 } }];

  it('prices: says what the calls have cost', async () => {
    const { session } = await withModels({ main: script }, { prices: { main: cost } });
    await say(session, 'Begin.');

    const { entries, total } = await session.usage();

    expect(entries).toMatchObject([{ agentPath: ['main'], model: 'main', inputTokens: 1_000, outputTokens: 100 }]);
    expect(total.cost.usd).toBeCloseTo(0.002);
  });

  it('does not count a model without a price as free', async () => {
    const { session } = await withModels({ main: script });
    await say(session, 'Begin.');

    const { entries, total } = await session.usage();

    expect(entries[0]).not.toHaveProperty('cost');
    expect(total.cost).toEqual({ usd: undefined, knownUsd: 0, unknownModels: ['main'] });
  });
});

describe('agents', () => {
  const task = (agent: string) => ({
    name: 'Task',
    input: { subagent_type: agent, description: 'Work', prompt: `Work, ${agent}.` },
  });
  const main: Script = ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return { text: 'Done.', usage: noUsage() };
    return { toolCalls: [task('one')], usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11 } };
  };
  const small: Script = [{ text: 'Worked.', usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 } }];
  const one = { name: 'one', description: 'Works.', model: 'small', systemPrompt: 'Be one.', tools: ['Read'] };

  it('work with their own model, prompt and tools, and their usage is part of the result', async () => {
    const seen: AgentEvent[] = [];
    const watcher: AgentHandler = { name: 'watch', onEvent: (event) => void seen.push(event) };
    const { session } = await withModels({ main, small }, { agents: [one], handlers: [watcher] });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result')).toMatchObject([{ name: 'Task', output: 'Worked.' }]);
    expect(resultOf(events).usage).toMatchObject({ inputTokens: 110, outputTokens: 11 });
    expect(seen).toContainEqual(expect.objectContaining({ type: 'subagent', agentName: 'one' }));
    expect((await session.usage()).entries.map(({ agentPath, model }) => [agentPath.join('/'), model])).toEqual([
      ['main', 'main'],
      ['main/one', 'small'],
      ['main', 'main'],
    ]);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('maxParallelSubagents: are refused beyond the limit', async () => {
    const both: Script = ({ messages }) => {
      if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
      return { toolCalls: [task('one'), task('one')] };
    };
    const worker: Script = () => ({ text: 'Worked.' });
    const { session } = await withModels({ main: both, small: worker }, { agents: [one], maxParallelSubagents: 1 });

    const results = only(await say(session, 'Begin.'), 'tool_result');

    expect(results.filter(({ isError }) => isError)).toHaveLength(1);
    expect(results).toHaveLength(2);
  });

  it('maxSubagentDepth: do not nest deeper than that', async () => {
    const nested: Script = ({ tools, messages }) => {
      const may = tools.some(({ name }) => name === 'Task') && messages.at(-1)?.role === 'user';
      return may ? { toolCalls: [task('any')] } : { text: 'Done.' };
    };
    const any = { name: 'any', description: 'Works.' };
    const depthOf = async (maxSubagentDepth: number) => {
      const { session } = await withModels({ main: nested }, { agents: [any], maxSubagentDepth });
      await say(session, 'Begin.');
      return Math.max(...(await session.usage()).entries.map(({ agentPath }) => agentPath.length - 1));
    };

    expect(await depthOf(1)).toBe(1);
    expect(await depthOf(3)).toBe(3);
  });

  it('are aborted with the run that they work for', async () => {
    const { session } = await withModels({ main, small: [{ hangs: true }] }, { agents: [one] });
    await session.send('Begin.');
    const stream = session.stream();
    for await (const event of stream) if (event.type === 'tool_use') session.abort();

    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('onToolTimeout', () => {
  const slow = toolNamed('slow', () => new Promise(() => undefined), { kind: 'readonly' });
  const script: Script = [{ toolCalls: [{ name: 'slow' }] }, { text: 'Done.' }];

  it('makes a time-out a result, or the end of the run', async () => {
    const options = { tools: [slow], toolTimeout: 1 };
    const { session: goesOn } = await scriptedSession(script, options);
    const { session: ends } = await scriptedSession(script, { ...options, onToolTimeout: 'throw' });

    expect(resultOf(await say(goesOn, 'Begin.')).subtype).toBe('success');
    expect(only(await say(ends, 'Begin.'), 'error')).toMatchObject([{ code: 'TIMEOUT' }]);
  });
});

describe('tracer', () => {
  const recorded = () => {
    const spans: { name: string; attributes: Record<string, unknown> }[] = [];
    const tracer: TracerLike = {
      startSpan(name, { attributes }) {
        const span = { name, attributes: { ...attributes } };
        spans.push(span);
        return {
          isRecording: () => true,
          spanContext: () => ({ traceId: 'a'.repeat(32) }),
          setAttributes: (more) => Object.assign(span.attributes, more),
          setStatus: () => undefined,
          end: () => undefined,
        };
      },
      activate: () => (work) => work(),
    };
    return { spans, tracer };
  };

  it('gets the spans of each run, with what it has cost, and no words', async () => {
    const { spans, tracer } = recorded();
    const prices = { main: { input: 1_000_000, output: 0 } };
    const main: Script = [{ text: 'A secret.', usage: { inputTokens: 2, outputTokens: 1, totalTokens: 3 } }];
    const { session } = await withModels({ main }, { tracer, prices });

    await say(session, 'My secret.');

    expect(spans.map(({ name }) => name)).toEqual(['invoke_agent main', 'chat main']);
    expect(spans[1]?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 2, 'gen_ai.usage.cost': 2 });
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('recordContent: gets the words as well', async () => {
    const { spans, tracer } = recorded();
    const { session } = await withModels({ main: [{ text: 'A secret.' }] }, { tracer, recordContent: true });

    await say(session, 'My word.');

    expect(JSON.stringify(spans)).toContain('A secret.');
    expect(JSON.stringify(spans)).toContain('My word.');
  });
});
