import { AgentError, type Model, type ModelRequest } from '@x/core';
import { collect, scriptedModel } from '@x/core/testing';
import { fallbackModelHandler, modelRetryHandler, toolLoopHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { calls, inboxOf, linesOf, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

const overloaded = () => new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true });
const fast = { baseMs: 1, maxMs: 1 };

describe('runAgent with model retry', () => {
  it('goes on after a call that failed and passed', async () => {
    const script = [calls('echo'), { error: overloaded() }, { text: 'Done.' }];
    const { options } = runOptions(script, { handlers: [modelRetryHandler(fast)] });

    const { events, value } = await collect(runAgent(options));

    expect(value.subtype).toBe('success');
    expect(events.flatMap((event) => (event.type === 'notification' ? event.kind : []))).toEqual(['model_retry']);
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(2);
  });

  it('is ended by an abort while it waits', async () => {
    const controller = new AbortController();
    const error = Object.assign(overloaded(), { retryAfter: 60 });
    const { options } = runOptions([{ error }], { handlers: [modelRetryHandler(fast)], signal: controller.signal });
    const stream = runAgent(options);

    let step = await stream.next();
    while (!step.done) {
      if (step.value.type === 'notification') controller.abort();
      step = await stream.next();
    }

    expect(step.value.subtype).toBe('aborted');
  });

  it('gives way to an urgent message while it waits', async () => {
    const box = inboxOf([]);
    const error = Object.assign(overloaded(), { retryAfter: 60 });
    const parts = { handlers: [modelRetryHandler(fast)], inbox: box.inbox };
    const { options } = runOptions([{ error }, { text: 'Stopped.' }], parts);
    const stream = runAgent(options);

    let step = await stream.next();
    while (!step.done) {
      if (step.value.type === 'notification') box.urge('Stop.');
      step = await stream.next();
    }

    expect(linesOf(step.value.messages)).toEqual(['user: Begin.', 'user: Stop.', 'assistant: Stopped.']);
  });
});

describe('runAgent with a fallback model', () => {
  it('records the replies of the fallback as its own, for the rest of the run', async () => {
    const other = scriptedModel([calls('echo'), { text: 'Done.' }], { name: 'other' });
    const handlers = [fallbackModelHandler({ model: other }), modelRetryHandler(fast)];
    const { options, journal, model } = runOptions(() => ({ error: overloaded() }), { handlers });

    const { value } = await collect(runAgent(options));

    const models = recordsOf(journal, 'message').flatMap(({ message }) =>
      message.role === 'assistant' ? message.model : [],
    );
    expect(value.subtype).toBe('success');
    expect(models).toEqual(['other', 'other']);
    expect(model.requests).toHaveLength(3);
  });
});

describe('runAgent with a guard against loops', () => {
  const broken = () =>
    toolNamed('broken', async () => {
      throw new Error('no such file');
    });

  it('ends after five identical failures, each of them recorded and told', async () => {
    const { options, journal, model } = runOptions(() => calls('broken'), {
      tools: [broken()],
      handlers: [toolLoopHandler()],
      maxTurns: 20,
    });
    const told: string[] = [];

    const reading = (async () => {
      for await (const event of runAgent(options)) if (event.type === 'tool_result') told.push(event.output);
    })();

    await expect(reading).rejects.toMatchObject({ code: 'TOOL_LOOP' });
    expect(told).toEqual(Array.from({ length: 5 }, () => 'no such file'));
    expect(recordsOf(journal, 'tool_finished').map(({ result }) => result.output)).toEqual(told);
    expect(model.requests).toHaveLength(5);
  });

  it('goes on counting when the run is resumed', async () => {
    const before = runOptions(() => calls('broken'), { tools: [broken()], maxTurns: 3 });
    const { value } = await collect(runAgent(before.options));
    const { options, model } = runOptions(() => calls('broken'), {
      tools: [broken()],
      handlers: [toolLoopHandler()],
      input: [],
      past: { messages: value.messages, turns: 3 },
      maxTurns: 20,
    });

    await expect(collect(runAgent(options))).rejects.toMatchObject({ code: 'TOOL_LOOP' });

    expect(model.requests).toHaveLength(2);
  });

  it('gives a run another chance that the user has steered', async () => {
    const box = inboxOf([]);
    const reply = ({ messages }: ModelRequest) =>
      linesOf(messages).includes('user: Try the other file.') ? { text: 'Done.' } : calls('broken');
    const steering = toolNamed('broken', async () => {
      if (++failures === 5) box.send('Try the other file.');
      throw new Error('no such file');
    });
    let failures = 0;
    const { options } = runOptions(reply, {
      tools: [steering],
      handlers: [toolLoopHandler()],
      inbox: box.inbox,
      maxTurns: 20,
    });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('success');
  });
});

describe('runAgent with a model that is broken', () => {
  it('ends the run when the model ends its stream without a reply', async () => {
    const { options } = runOptions([]);
    const silent: Model = { ...options.model, stream: async function* () {} as unknown as Model['stream'] };

    const failed = collect(runAgent({ ...options, model: silent }));

    await expect(failed).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      message: expect.stringContaining('without a reply'),
    });
  });
});
