import type { ToolCall, ToolNext } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, progress as progressOf, run, tool } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';
import { withInvokableToolWrapper, withStreamableToolWrapper } from './with.ts';

const call = (streaming: boolean): ToolCall => callOf(tool('t', { streaming }));
const progress = progressOf('half');
const answers: ToolNext = answering('ok', 'half');

describe('withInvokableToolWrapper and withStreamableToolWrapper', () => {
  it.each([false, true])('the promise form wraps a tool that streams: %s', async (streaming) => {
    const pipeline = new Pipeline([
      withInvokableToolWrapper(async (given, next) => {
        const result = await next(given);
        return { ...result, output: `<${result.output}>` };
      }),
    ]);

    const { events, value } = await collect(pipeline.callTool(call(streaming), answers, run()));

    expect(value.output).toBe('<ok>');
    expect(events).toEqual([progress]);
  });

  it.each([false, true])('the stream form wraps a tool that streams: %s', async (streaming) => {
    const pipeline = new Pipeline([
      withStreamableToolWrapper(async function* (given, next) {
        yield { type: 'notification', kind: 'test', message: 'before' };
        const result = yield* next(given);
        return { ...result, output: `<${result.output}>` };
      }),
    ]);

    const { events, value } = await collect(pipeline.callTool(call(streaming), answers, run()));

    expect(value.output).toBe('<ok>');
    expect(events).toEqual([{ type: 'notification', kind: 'test', message: 'before' }, progress]);
  });

  it('the stream form may end the tool early, which runs its finally', async () => {
    let closed = false;
    const endless: ToolNext = async function* () {
      try {
        for (;;) yield progress;
      } finally {
        closed = true;
      }
    };
    const pipeline = new Pipeline([
      withStreamableToolWrapper(async function* (given, next) {
        for await (const event of next(given)) {
          yield event;
          break;
        }
        return { output: 'enough', isError: false };
      }),
    ]);

    const { value } = await collect(pipeline.callTool(call(true), endless, run()));

    expect(value.output).toBe('enough');
    expect(closed).toBe(true);
  });
});
