import {
  type AgentConfig,
  defineTool,
  type Journal,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolNext,
  userMessage,
  ValidationError,
  type Workspace,
} from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentMiddleware, fromMiddleware } from './middleware.ts';
import { Pipeline } from './pipeline.ts';

const tool = (name: string, streaming = false): Tool =>
  defineTool({ name, description: 'd', inputSchema: z.object({}), streaming, execute: async () => name }) as Tool;
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
const config = (): AgentConfig => ({ instruction: 'base', tools: [], input: [], options: { maxTurns: 5 } });
const call = (streaming: boolean): ToolCall => ({
  id: 'c',
  name: 't',
  input: {},
  tool: tool('t', streaming),
  workspace: {} as Workspace, // nothing below touches the world
  signal: new AbortController().signal,
});
const answers: ToolNext = async function* () {
  return { output: 'ok', isError: false };
};
const pipelineOf = (...middlewares: AgentMiddleware[]) => new Pipeline(middlewares.map(fromMiddleware));
const outputOf = async (pipeline: Pipeline, streaming: boolean) =>
  (await collect(pipeline.callTool(call(streaming), answers, run()))).value.output;

const invokable: NonNullable<AgentMiddleware['wrapToolCall']> = {
  invokable: (next) => async (given) => {
    const result = await next(given);
    return { ...result, output: `promise(${result.output})` };
  },
};
const streamable: NonNullable<AgentMiddleware['wrapToolCall']> = {
  streamable: (next) =>
    async function* (given) {
      const result = yield* next(given);
      return { ...result, output: `stream(${result.output})` };
    },
};

describe('fromMiddleware', () => {
  it('makes a handler named legacy-middleware', () => {
    expect(fromMiddleware({}).name).toBe('legacy-middleware');
  });

  it('appends additionalInstruction after a line feed; an empty one changes nothing', async () => {
    const pipeline = pipelineOf(
      { additionalInstruction: 'one' },
      { additionalInstruction: '' },
      {},
      { additionalInstruction: 'two' },
    );

    expect((await pipeline.beforeAgent(config(), run())).instruction).toBe('base\none\ntwo');
  });

  it('appends additionalTools in order, none returning directly', async () => {
    const pipeline = pipelineOf({ additionalTools: [tool('a'), tool('b')] }, { additionalTools: [tool('c')] });

    const { tools } = await pipeline.beforeAgent(config(), run());

    expect(tools.map((one) => [one.tool.name, one.returnDirectly])).toEqual([
      ['a', false],
      ['b', false],
      ['c', false],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a class', class {}, 'A middleware must be an object'],
    ['a list', [], 'A middleware must be an object'],
    ['a misspelt field', { beforeChatModl: () => undefined }, 'did you mean beforeChatModel?'],
    [
      'a class with a misspelt method',
      new (class {
        beforeChatModl() {}
      })(),
      'did you mean beforeChatModel?',
    ],
    ['no wraps', { wrapToolCall: null }, 'wrapToolCall must be an object, not null'],
    ['a misspelt wrap', { wrapToolCall: { invocable: () => undefined } }, 'did you mean invokable?'],
    ['no function', { beforeChatModel: {} }, 'beforeChatModel must be a function, not an object'],
  ])('refuses %s', (_, given, message) => {
    expect(() => fromMiddleware(given as never)).toThrow(message);
  });

  it('uses the list that beforeChatModel and afterChatModel put into the state', async () => {
    const [one, two] = [userMessage('one'), userMessage('two')];
    const pipeline = pipelineOf({
      beforeChatModel: (state) => {
        state.messages = [one];
      },
      afterChatModel: async (state) => {
        state.messages.push(two);
      },
    });
    const given = [userMessage('given')];

    expect(await pipeline.beforeModel(given, run())).toEqual([one]);
    expect(await pipeline.afterModel(given, run())).toEqual([...given, two]);
    expect(given).toHaveLength(1);
  });

  it('changes no message when the functions are absent', async () => {
    const given = [userMessage('given')];

    expect(await pipelineOf({}).beforeModel(given, run())).toBe(given);
    expect(await pipelineOf({}).afterModel(given, run())).toBe(given);
  });

  it('does not take a broken state for an empty history', async () => {
    const pipeline = pipelineOf({
      beforeChatModel: (state) => {
        state.messages = undefined as never;
      },
    });

    await expect(pipeline.beforeModel([], run())).rejects.toMatchObject({ code: 'HANDLER_ERROR' });
  });

  it('hands the run to its functions, and keeps their this', async () => {
    const current = run();
    const seen: unknown[] = [];
    const middleware: AgentMiddleware & { readonly additionalInstruction: string } = {
      additionalInstruction: 'own',
      beforeChatModel(_state, given) {
        seen.push(given, (this as AgentMiddleware).additionalInstruction);
      },
    };

    await pipelineOf(middleware).beforeModel([], current);

    expect(seen).toEqual([current, 'own']);
  });

  it('goes by the kind of the tool when it has both wraps', async () => {
    const pipeline = pipelineOf({ wrapToolCall: { ...invokable, ...streamable } });

    expect(await outputOf(pipeline, false)).toBe('promise(ok)');
    expect(await outputOf(pipeline, true)).toBe('stream(ok)');
  });

  it('applies a lone wrap to both kinds of tools', async () => {
    expect(await outputOf(pipelineOf({ wrapToolCall: invokable }), true)).toBe('promise(ok)');
    expect(await outputOf(pipelineOf({ wrapToolCall: streamable }), false)).toBe('stream(ok)');
  });

  it('nests middlewares as an onion, the first outermost', async () => {
    const pipeline = pipelineOf({ wrapToolCall: invokable }, { wrapToolCall: streamable });

    expect(await outputOf(pipeline, false)).toBe('promise(stream(ok))');
  });

  it('changes no call when it has no wraps', async () => {
    expect(fromMiddleware({ wrapToolCall: {} })).not.toHaveProperty('wrapInvokableToolCall');
    expect(await outputOf(pipelineOf({ wrapToolCall: {} }), false)).toBe('ok');
  });

  it('passes on an error of its function', async () => {
    const pipeline = pipelineOf({
      beforeChatModel: () => {
        throw new Error('below');
      },
    });

    await expect(pipeline.beforeModel([], run())).rejects.toThrow('below');
  });

  it.each([
    null,
    { additionalInstructions: 'typo' },
    { additionalInstruction: 7 },
    { additionalTools: [{ name: 'half' }] },
    { beforeChatModel: 'x' },
    { wrapToolCall: { invoke: () => undefined } },
    { wrapToolCall: { streamable: 7 } },
  ])('refuses %j', (middleware) => {
    expect(() => fromMiddleware(middleware as never)).toThrow(ValidationError);
  });
});
