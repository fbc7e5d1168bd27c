import type { AgentHandler, ModelRequest, ToolResult } from '@x/core';
import { collect, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, run } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

const request: ModelRequest = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
const quiet: AgentHandler = {
  name: 'quiet',
  async *wrapToolCall(call, next) {
    return yield* next(call);
  },
};
const around = (handler: object) => new Pipeline([quiet, { name: 'guard', ...handler }, { ...quiet, name: 'inner' }]);
const calling = async (handler: object) => await collect(around(handler).callTool(callOf(), answering(), run()));
const asking = async (handler: object) => {
  const model = scriptedModel([{ text: 'Hi.' }]);
  return await collect(around(handler).callModel(request, (given) => model.stream(given), run()));
};
const faults = (message: string) => expect.objectContaining({ code: 'HANDLER_ERROR', message });

describe('Pipeline', () => {
  it.each<[string, object]>([
    ['a promise', { wrapToolCall: async (call: never, next: (call: never) => unknown) => next(call) }],
    ['a promise that fails', { wrapToolCall: () => Promise.reject(new Error('later')) }],
    ['a result', { wrapToolCall: () => ({ output: 'denied', isError: true }) }],
    ['nothing', { wrapToolCall: () => undefined }],
    [
      'a generator that is not async',
      {
        *wrapToolCall(call: never, next: (call: never) => Iterable<unknown>) {
          return yield* next(call);
        },
      },
    ],
  ])('names the handler whose tool wrap makes %s in place of a generator', async (_, handler) => {
    await expect(calling(handler)).rejects.toEqual(
      faults('wrapToolCall of handler guard must be a generator: async *wrapToolCall, with return yield* next(call)'),
    );
  });

  it('names the handler whose model wrap makes a promise in place of a generator', async () => {
    const handler = { wrapModelCall: async (given: never, next: (given: never) => unknown) => next(given) };

    await expect(asking(handler)).rejects.toEqual(
      faults(
        'wrapModelCall of handler guard must be a generator: async *wrapModelCall, with return yield* next(request)',
      ),
    );
  });

  it('names the handler, of several, whose tool wrap forgets its return', async () => {
    async function* wrapToolCall(call: never, next: (call: never) => AsyncGenerator<never, ToolResult>) {
      yield* next(call);
    }

    await expect(calling({ wrapToolCall })).rejects.toEqual(
      faults(
        'wrapToolCall of handler guard must return a tool result with output and isError: return yield* next(call)',
      ),
    );
  });

  it('names the narrow form that a handler has written', async () => {
    await expect(calling({ wrapInvokableToolCall: async () => 'denied' })).rejects.toEqual(
      faults(
        'wrapInvokableToolCall of handler guard must return a tool result with output and isError: return next(call)',
      ),
    );
  });

  it('lets wraps that return the result through, whatever is asked of the stream after its end', async () => {
    const stream = around({}).callTool(callOf(), answering(), run());

    const { value } = await collect(stream);

    expect(value).toMatchObject({ isError: false });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
