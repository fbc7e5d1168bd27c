import { type AgentHandler, type Message, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, type RunParts, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

type Method = Exclude<keyof AgentHandler, 'name' | 'prototype' | 'runEnded'>;
const failure = new Error('what the handler said');
const fails = (): never => {
  throw failure;
};
/** Passes on, and writes down that it was asked. */
const passing = (asked: string[]): Required<Pick<AgentHandler, Method>> => ({
  beforeAgent: () => void asked.push('beforeAgent'),
  beforeUserMessage: () => void asked.push('beforeUserMessage'),
  beforeModelRewriteHistory: (messages) => (asked.push('beforeModelRewriteHistory'), messages),
  afterModelRewriteHistory: (messages) => (asked.push('afterModelRewriteHistory'), messages),
  afterAgent: () => void asked.push('afterAgent'),
  checkAnswer: () => void asked.push('checkAnswer'),
  wrapModelCall: (request, next) => (asked.push('wrapModelCall'), next(request)),
  wrapToolCall: (call, next) => (asked.push('wrapToolCall'), next(call)),
  wrapInvokableToolCall: (call, next) => (asked.push('wrapInvokableToolCall'), next(call)),
  wrapStreamableToolCall: (call, next) => (asked.push('wrapStreamableToolCall'), next(call)),
  onEvent: ({ type }) => void asked.push(`onEvent ${type}`),
});

/** A run whose first handler fails in one method; the second one passes on in that method only. */
async function failing(method: Method, fail: () => unknown) {
  const asked: string[] = [];
  const handlers = [
    { name: 'guilty', [method]: fail } as AgentHandler, // a method of the interface, with what it may throw
    { name: 'later', [method]: passing(asked)[method] } as AgentHandler,
  ];
  const { options, journal, model } = runOptions([calls('echo', 'echo'), { text: 'Done.' }, { text: 'More.' }], {
    handlers,
  });
  const events: string[] = [];
  const reading = (async () => {
    for await (const { type } of runAgent(options)) events.push(type);
  })();
  const reason: unknown = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  const ran = recordsOf(journal, 'tool_started').map(({ callId }) => callId);
  return { reason, asked, events, ran, modelCalls: model.requests.length, journal };
}

describe('an error of a handler', () => {
  // How far the run has come: model calls, and tools that have run.
  const methods: readonly [Method, number, readonly string[]][] = [
    ['beforeAgent', 0, []],
    ['beforeUserMessage', 0, []],
    ['beforeModelRewriteHistory', 0, []],
    ['wrapModelCall', 0, []],
    ['afterModelRewriteHistory', 1, []],
    ['wrapToolCall', 1, []],
    ['wrapInvokableToolCall', 1, []],
    ['wrapStreamableToolCall', 1, []],
    ['afterAgent', 2, ['echo0', 'echo1']],
    ['checkAnswer', 2, ['echo0', 'echo1']],
    ['onEvent', 0, []],
  ];
  const ways: readonly [string, () => unknown][] = [
    ['throws', fails],
    ['rejects', () => Promise.reject(failure)],
  ];

  it.each(
    methods.flatMap(([method, models, tools]) =>
      ways.map(([way, fail]) => [method, way, fail, models, tools] as const),
    ),
  )(
    'in %s ends the run with that very error when it %s: no later handler, model call or tool',
    async (method, way, fail, modelCalls, tools) => {
      const isStream = method === 'wrapModelCall' || method === 'wrapToolCall' || method === 'wrapStreamableToolCall';
      const late = async function* () {
        throw failure;
      };

      const ended = await failing(method, isStream && way === 'rejects' ? late : fail);

      expect(ended.reason).toBe(failure);
      expect(ended.asked).toEqual([]);
      expect([ended.modelCalls, ended.ran]).toEqual([modelCalls, tools]);
      const count = (type: string) => ended.events.filter((one) => one === type).length;
      expect([count('turn_start'), count('tool_use')]).toEqual([count('turn_end'), count('tool_result')]);
    },
  );

  it.each([
    ['beside it in a parallel batch', true],
    ['behind it', false],
  ])('around one call lets no call %s begin; each has its answer', async (_, parallelSafe) => {
    const handler: AgentHandler = {
      name: 'guilty',
      wrapToolCall: (call, next) => (call.id === 'echo1' ? fails() : next(call)),
    };
    const { options, journal } = runOptions([calls('echo', 'echo', 'echo', 'echo')], {
      handlers: [handler],
      tools: [echo({ parallelSafe })],
    });

    await expect(collect(runAgent(options))).rejects.toBe(failure);

    const answers = recordsOf(journal, 'tool_finished').map(({ callId, result }) => `${callId} ${result.interrupted}`);
    expect(answers.toSorted()).toEqual(['echo0 undefined', 'echo1 unknown', 'echo2 not_run', 'echo3 not_run']);
    expect(recordsOf(journal, 'tool_started').map(({ callId }) => callId)).toEqual(['echo0']);
  });

  it('lets a call that has begun come to its end', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = toolNamed('slow', async () => {
      await gate.promise;
      order.push('slow has ended');
      return 'slow';
    });
    const handler: AgentHandler = {
      name: 'guilty',
      async wrapInvokableToolCall(call, next) {
        if (call.name === 'slow') return next(call);
        order.push('guilty');
        gate.resolve();
        throw failure;
      },
    };
    const { options, journal } = runOptions([calls('slow', 'echo')], { handlers: [handler], tools: [slow, echo()] });

    await expect(collect(runAgent(options))).rejects.toBe(failure);

    expect(order).toEqual(['guilty', 'slow has ended']);
    const answers = recordsOf(journal, 'tool_finished').map(({ callId, result }) => `${callId} ${result.isError}`);
    expect(answers.toSorted()).toEqual(['echo1 true', 'slow0 false']);
  });
});

describe('a handler that forgets what to return', () => {
  const ends = async (handler: Omit<AgentHandler, 'name'>, parts: RunParts = {}) => {
    const { options, model } = runOptions([{ text: 'Done.' }, { text: 'More.' }], {
      ...parts,
      handlers: [{ name: 'h', ...handler }],
    });
    const reason: unknown = await collect(runAgent(options)).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { reason, modelCalls: model.requests.length };
  };
  const text = (messages: readonly Message[]) => messages.map(({ role }) => role).join();

  it('ends the run when a model wrap returns nothing: that is no model with nothing to say', async () => {
    const { reason, modelCalls } = await ends({
      async *wrapModelCall(request, next) {
        yield* next(request);
        return undefined as never;
      },
    });

    expect(reason).toMatchObject({
      code: 'HANDLER_ERROR',
      message: expect.stringContaining('wrapModelCall of handler h must return'),
    });
    expect(modelCalls).toBe(1);
  });

  it.each([['Once more.'], [[{ role: 'assistant' }]], [userMessage('Once more.')], [7]])(
    'ends the run when afterAgent returns %j',
    async (more) => {
      const { reason, modelCalls } = await ends({ afterAgent: () => more as never });

      expect(reason).toMatchObject({ code: 'HANDLER_ERROR' });
      expect(modelCalls).toBe(1);
    },
  );

  it.each([['Once more.'], [{ again: 'Once more.' }], [{ again: [{ role: 'assistant' }] }], [{ content: 7 }], [7]])(
    'ends the run when checkAnswer returns %j',
    async (verdict) => {
      const { reason, modelCalls } = await ends({ checkAnswer: () => verdict as never });

      expect(reason).toMatchObject({ code: 'HANDLER_ERROR', message: expect.stringContaining('checkAnswer') });
      expect(modelCalls).toBe(1);
    },
  );

  it.each([['Begin.'], [{}], [{ role: 'user' }], [7]])(
    'ends the run when beforeUserMessage returns %j',
    async (message) => {
      const { reason, modelCalls } = await ends({ beforeUserMessage: () => message as never });

      expect(reason).toMatchObject({ code: 'HANDLER_ERROR' });
      expect(modelCalls).toBe(0);
    },
  );

  it('goes on when nothing means nothing', async () => {
    const seen: string[] = [];

    const { reason } = await ends({
      beforeAgent: () => undefined,
      beforeUserMessage: () => undefined,
      afterAgent: (messages) => void seen.push(text(messages)),
    });

    expect(reason).toBeUndefined();
    expect(seen).toEqual(['user,assistant']);
  });
});
