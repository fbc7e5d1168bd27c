import type { AgentHandler, TokenUsage } from '@x/core';
import { noUsage } from '@x/core/internal';
import { collect, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, inboxOf, type RunParts, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

/** Runs until the first event of `type`, aborts, and reads on to the end. */
async function abortedAt(type: string, script: Parameters<typeof runOptions>[0], parts: RunParts = {}) {
  const controller = new AbortController();
  const run = runOptions(script, { ...parts, signal: controller.signal });
  const usages: TokenUsage[] = [];
  const stream = runAgent(run.options);
  for (;;) {
    const step = await stream.next();
    if (step.done) return { ...run, usages, value: step.value };
    if (step.value.type === 'usage') usages.push(step.value.usage);
    if (step.value.type === type) setImmediate(() => controller.abort());
  }
}

describe('a model whose stream is no generator', () => {
  it.each([
    ['a promise', async () => undefined],
    ['a promise that fails', () => Promise.reject(new Error('later'))],
    ['nothing', () => undefined],
  ])('but %s ends the run with an error that says so', async (_, stream) => {
    const { options } = runOptions([]);
    const model = { ...options.model, provider: 'own', name: 'm', stream: stream as never };

    await expect(collect(runAgent({ ...options, model }))).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      retryable: false,
      message: 'stream of model own m must be a generator: async *stream(request)',
    });
  });
});

describe('a model call that is cut off', () => {
  it('with nothing said leaves a note of what it is thought to have used, and a usage event', async () => {
    const { journal, usages, value } = await abortedAt('user_message', [{ hangs: true }]);

    const [note] = recordsOf(journal, 'note');
    expect(note).toMatchObject({
      name: 'usage',
      data: {
        provider: 'scripted',
        model: 'scripted',
        purpose: 'cut_off',
        usage: { outputTokens: 0, estimated: true },
      },
    });
    const { usage } = note!.data as { usage: TokenUsage }; // one, as was seen above
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usages).toEqual([usage]);
    expect(value.subtype).toBe('aborted');
  });

  it('counts what the model has thought by then', async () => {
    const { usages } = await abortedAt('thinking', [{ thinking: 'x'.repeat(40), hangs: true }]);

    expect(usages).toMatchObject([{ outputTokens: 10, estimated: true }]);
  });

  it('with something said carries its usage in the reply, and no note', async () => {
    const { journal, usages } = await abortedAt('content', [{ text: 'x'.repeat(40), hangs: true }]);

    expect(recordsOf(journal, 'note')).toEqual([]);
    expect(recordsOf(journal, 'message')[1]?.message).toMatchObject({ stopReason: 'interrupted', usage: usages[0] });
    expect(usages).toMatchObject([{ outputTokens: 10, estimated: true }]);
  });

  it('by an urgent message is noted too', async () => {
    const box = inboxOf([]);
    const { options, journal } = runOptions([{ hangs: true }, { text: 'Stopped.' }], { inbox: box.inbox });
    const stream = runAgent(options);

    for await (const event of stream) if (event.type === 'user_message') setImmediate(() => box.urge('Stop.'));

    expect(recordsOf(journal, 'note')).toMatchObject([{ name: 'usage', data: { purpose: 'cut_off' } }]);
  });

  it('is noted with the usage of the service, when the reply was there and a handler still held it', async () => {
    const slow: AgentHandler = {
      name: 'slow',
      async *wrapModelCall(request, next) {
        const reply = yield* next(request);
        yield { type: 'notification', kind: 'test', message: 'holds it' };
        await new Promise(() => undefined);
        return reply;
      },
    };

    const { usages } = await abortedAt('notification', [{ usage: { inputTokens: 7 } }], { handlers: [slow] });

    expect(usages).toEqual([{ inputTokens: 7, outputTokens: 5, totalTokens: 12 }]);
  });

  it('is noted for itself, when a handler has dropped a reply before and asked again', async () => {
    const again: AgentHandler = {
      name: 'again',
      async *wrapModelCall(request, next) {
        yield* next(request);
        return yield* next(request);
      },
    };

    const { usages } = await abortedAt(
      'content',
      [
        { usage: { inputTokens: 7 }, text: '' },
        { thinking: 'Hm.', text: 'x', hangs: true },
      ],
      { handlers: [again] },
    );

    expect(usages).toMatchObject([{ inputTokens: 7 }, { outputTokens: 1, estimated: true }]);
  });

  it('by the service in the middle of its reply is noted, and the run fails as before', async () => {
    const { options, journal } = runOptions([{ text: 'x'.repeat(40), error: new Error('connection lost') }]);
    const usages: TokenUsage[] = [];

    const reading = (async () => {
      for await (const event of runAgent(options)) if (event.type === 'usage') usages.push(event.usage);
    })();

    await expect(reading).rejects.toThrow('connection lost');
    expect(usages).toMatchObject([{ outputTokens: 10, estimated: true }]);
    expect(recordsOf(journal, 'note')).toMatchObject([
      { name: 'usage', data: { purpose: 'cut_off', model: 'scripted', usage: usages[0] } },
    ]);
  });

  it('is noted once each, when a handler asks again after a reply that was cut off or that it does not want', async () => {
    const again: AgentHandler = {
      name: 'again',
      async *wrapModelCall(request, next) {
        try {
          yield* next(request);
        } catch {
          yield* next(request);
        }
        return yield* next(request);
      },
    };
    const replies = [
      { text: 'x'.repeat(40), error: new Error('connection lost') },
      { text: 'a', usage: { inputTokens: 7 } },
      { text: 'b', usage: { inputTokens: 9 } },
    ];

    const { options, journal } = runOptions(replies, { handlers: [again] });
    const { events } = await collect(runAgent(options));

    const noted = recordsOf(journal, 'note').map(({ data }) => (data as { usage: TokenUsage }).usage);
    expect(noted).toMatchObject([{ outputTokens: 10, estimated: true }, { inputTokens: 7 }]);
    const told = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expect(told).toMatchObject([...noted, { inputTokens: 9 }]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no')), 'no'],
    ['takes it away', async () => [], 'must leave the reply'],
  ])('by a handler that %s once the reply is there is noted with the usage of the service', async (...row) => {
    const [, afterModelRewriteHistory, message] = row;
    const handlers = [{ name: 'late', afterModelRewriteHistory }];
    const { options, journal } = runOptions([{ text: 'a', usage: { inputTokens: 7 } }], { handlers });

    await expect(collect(runAgent(options))).rejects.toThrow(message);

    expect(recordsOf(journal, 'note')).toMatchObject([{ name: 'usage', data: { usage: { inputTokens: 7 } } }]);
  });

  it('is not noted when the model was never asked', async () => {
    const waiting: AgentHandler = {
      name: 'waiting',
      async *wrapModelCall(request, next) {
        yield { type: 'notification', kind: 'test', message: 'waits' };
        await new Promise(() => undefined);
        return yield* next(request);
      },
    };

    const { journal, usages } = await abortedAt('notification', [{ text: 'never' }], { handlers: [waiting] });

    expect(recordsOf(journal, 'note')).toEqual([]);
    expect(usages).toEqual([]);
  });

  it('is not noted when it had failed by itself before', async () => {
    const retry: AgentHandler = {
      name: 'retry',
      async *wrapModelCall(request, next) {
        try {
          return yield* next(request);
        } catch {
          yield { type: 'notification', kind: 'test', message: 'waits for the next try' };
          await new Promise(() => undefined);
          return yield* next(request);
        }
      },
    };

    const { journal } = await abortedAt('notification', [{ error: new Error('overloaded') }], { handlers: [retry] });

    expect(recordsOf(journal, 'note')).toEqual([]);
  });

  it('leaves totals that hold: the notes and replies are the usage events', async () => {
    const { journal, usages } = await abortedAt('turn_end', [calls('echo'), { hangs: true }]);

    const replies = recordsOf(journal, 'message').flatMap(({ message }) => ('usage' in message ? [message.usage] : []));
    const notes = recordsOf(journal, 'note').map(({ data }) => (data as { usage: TokenUsage }).usage);
    expect(usages).toEqual([...replies, ...notes]);
    expect(noUsage()).not.toEqual(notes[0]);
  });
});

describe('a reply that is cut at its length', () => {
  it('never runs the call it ends with, however whole its input reads; those before it run', async () => {
    const cut = { ...calls('echo', 'echo'), stopReason: 'length' as const };
    const { options, journal } = runOptions([cut, { text: 'Done.' }]);

    await collect(runAgent(options));

    const results = recordsOf(journal, 'tool_finished').map(({ callId, result }) => `${callId} ${result.interrupted}`);
    expect(results.toSorted()).toEqual(['echo0 undefined', 'echo1 not_run']);
  });

  it('never runs an empty input, which a service may leave of one that had not begun', async () => {
    let ran = 0;
    const wipe = toolNamed('wipe', async () => void ran++);
    const { options } = runOptions([{ ...calls('wipe'), stopReason: 'length' }, { text: 'Done.' }], { tools: [wipe] });

    await collect(runAgent(options));

    expect(ran).toBe(0);
  });

  it('runs a call that text follows: its input was complete', async () => {
    const model = scriptedModel([{ ...calls('echo'), stopReason: 'length' }, { text: 'Done.' }]);
    const { options, journal } = runOptions([]);
    const talks: AgentHandler = {
      name: 'talks',
      afterModelRewriteHistory: (messages) => {
        const reply = messages.at(-1);
        if (reply?.role !== 'assistant') return messages;
        return [...messages.slice(0, -1), { ...reply, content: [...reply.content, { type: 'text', text: 'And th' }] }];
      },
    };
    const { pipeline } = runOptions([], { handlers: [talks] }).options;

    await collect(runAgent({ ...options, model, pipeline }));

    expect(recordsOf(journal, 'tool_finished')[0]?.result.output).toBe('0');
  });

  it('has every call run when it was not cut', async () => {
    const { options, journal } = runOptions([calls('echo', 'echo'), { text: 'Done.' }]);

    await collect(runAgent(options));

    expect(recordsOf(journal, 'tool_finished').map(({ result }) => result.output)).toEqual(['0', '1']);
  });
});
