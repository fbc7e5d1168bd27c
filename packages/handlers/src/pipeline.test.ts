import { fc, test } from '@fast-check/vitest';
import {
  type AgentConfig,
  type AgentEvent,
  type AgentHandler,
  type Message,
  type ModelRequest,
  userMessage,
} from '@x/core';
import { collect, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, configOf, progress, recorder, run, tool } from '../test/values.ts';
import { Pipeline } from './pipeline.ts';

const request: ModelRequest = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
const names = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e']);
async function* events(...list: AgentEvent[]): AsyncGenerator<AgentEvent, string, void> {
  yield* list;
  return 'value';
}

/** What the recorders wrote down while `act` used their pipeline. */
async function traced(
  order: readonly string[],
  act: (pipeline: Pipeline, trace: string[]) => Promise<unknown>,
): Promise<string[]> {
  const trace: string[] = [];
  await act(new Pipeline(order.map((name) => recorder(name, trace))), trace);
  return trace;
}

const inOrder = (order: readonly string[], moment: string) => order.map((name) => `${name} ${moment}`);
const onion = (order: readonly string[], what: string, core: string) => [
  ...inOrder(order, `${what} in`),
  core,
  ...inOrder(order.toReversed(), `${what} out`),
];

describe('Pipeline', () => {
  test.prop([names])('calls rewriters and observers in list order, whatever the list', async (order) => {
    const messages = [userMessage('x')];

    expect(await traced(order, (pipeline) => pipeline.beforeAgent(configOf(), run()))).toEqual(
      inOrder(order, 'beforeAgent'),
    );
    expect(await traced(order, (pipeline) => pipeline.userMessage(messages[0]!, run()))).toEqual(
      inOrder(order, 'beforeUserMessage'),
    );
    expect(await traced(order, (pipeline) => pipeline.beforeModel(messages, run()))).toEqual(
      inOrder(order, 'beforeModel'),
    );
    expect(await traced(order, (pipeline) => pipeline.afterModel(messages, run()))).toEqual(
      inOrder(order, 'afterModel'),
    );
    expect(await traced(order, (pipeline) => pipeline.afterAgent(messages, run()))).toEqual(
      inOrder(order, 'afterAgent'),
    );
    expect(await traced(order, (pipeline) => collect(pipeline.observe(events(progress('x')), run())))).toEqual(
      inOrder(order, 'saw tool_progress'),
    );
  });

  test.prop([names])('wraps calls as an onion, the first handler outermost', async (order) => {
    const model = await traced(order, (pipeline, trace) =>
      collect(pipeline.callModel(request, (given) => (trace.push('model'), scriptedModel([{}]).stream(given)), run())),
    );
    const toolCall = await traced(order, (pipeline, trace) =>
      collect(pipeline.callTool(callOf(), (call) => (trace.push('tool'), answering()(call)), run())),
    );

    expect(model).toEqual(onion(order, 'model', 'model'));
    expect(toolCall).toEqual(onion(order, 'tool', 'tool'));
  });

  test.prop([names])('gives each what the one before it has left, and the last result to the caller', async (order) => {
    const adds = (name: string): AgentHandler => ({
      name,
      beforeAgent: (config) => ({ ...config, instruction: `${config.instruction}${name}` }),
      beforeModelRewriteHistory: (messages) => [...messages, userMessage(name)],
    });
    const pipeline = new Pipeline(order.map(adds));

    const config = await pipeline.beforeAgent(configOf(), run());
    const messages = await pipeline.beforeModel([], run());

    expect(config.instruction).toBe(`Base.${order.join('')}`);
    expect(messages.map(({ content }) => content)).toEqual(order.map((text) => [{ type: 'text', text }]));
  });

  test.prop([fc.array(fc.constantFrom('value', 'nothing', 'throws'), { maxLength: 6 })])(
    'stops at the first error: nothing later runs',
    async (kinds) => {
      const ran: number[] = [];
      const handler = (kind: string, index: number): AgentHandler => ({
        name: kind,
        beforeAgent(config): AgentConfig | void {
          ran.push(index);
          if (kind === 'throws') throw new Error(`handler ${index}`);
          if (kind === 'value') return { ...config };
        },
      });
      const guilty = kinds.indexOf('throws');

      const outcome = await new Pipeline(kinds.map(handler))
        .beforeAgent(configOf(), run())
        .catch((error: Error) => error.message);

      expect(ran).toEqual([...(guilty < 0 ? kinds : kinds.slice(0, guilty + 1)).keys()]);
      if (guilty >= 0) expect(outcome).toBe(`handler ${guilty}`);
    },
  );

  it('copies its list', async () => {
    const trace: string[] = [];
    const list = [recorder('a', trace)];
    const pipeline = new Pipeline(list);

    list.push(recorder('late', trace));
    list.shift();
    await pipeline.afterAgent([], run());

    expect(trace).toEqual(['a afterAgent']);
  });

  it('refuses what is not a handler', () => {
    for (const wrong of [null, undefined, {}, { name: 7 }, 'x']) {
      expect(() => new Pipeline([wrong as never])).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
    }
  });

  it('changes nothing for a handler that is only a name', async () => {
    const pipeline = new Pipeline([{ name: 'x' }]);
    const config = configOf(tool());
    const messages: readonly Message[] = [userMessage('x')];

    expect(await pipeline.beforeAgent(config, run())).toBe(config);
    expect(await pipeline.beforeModel(messages, run())).toBe(messages);
    expect(await pipeline.afterAgent(messages, run())).toEqual([]);
    expect(await collect(pipeline.callTool(callOf(), answering('ok', 'a'), run()))).toEqual({
      events: [progress('a')],
      value: { output: 'ok', isError: false },
    });
  });

  it('keeps the id of a user message, whatever a handler makes of it', async () => {
    const message = userMessage('before');
    const handler: AgentHandler = { name: 'h', beforeUserMessage: () => userMessage('after') };

    const changed = await new Pipeline([handler]).userMessage(message, run());

    expect(changed).toMatchObject({ id: message.id, content: [{ text: 'after' }] });
  });

  it('refuses two tools of one name after beforeAgent', async () => {
    const handler: AgentHandler = {
      name: 'adds',
      beforeAgent: (config) => void config.tools.push({ tool: tool('twice'), returnDirectly: false }),
    };

    await expect(new Pipeline([handler]).beforeAgent(configOf(tool('twice')), run())).rejects.toThrow(
      'Two tools are named twice',
    );

    expect((await new Pipeline([handler]).beforeAgent(configOf(tool('other')), run())).tools).toHaveLength(2);
  });

  it('lets the last handler decide about returnDirectly', async () => {
    const decides = (returnDirectly: boolean): AgentHandler => ({
      name: 'decides',
      beforeAgent: (config) => ({ ...config, tools: config.tools.map((meta) => ({ ...meta, returnDirectly })) }),
    });

    const config = await new Pipeline([decides(true), decides(false)]).beforeAgent(configOf(tool()), run());

    expect(config.tools[0]?.returnDirectly).toBe(false);
  });

  it('gathers the messages that all handlers want to add', async () => {
    const [one, other] = [userMessage('one'), userMessage('other')];
    const pipeline = new Pipeline([
      { name: 'a', afterAgent: () => [one] },
      { name: 'b', afterAgent: () => undefined },
      { name: 'c', afterAgent: async () => [other] },
    ]);

    expect(await pipeline.afterAgent([], run())).toEqual([one, other]);
  });

  it('lets a model wrap answer without the model, change the request, or call twice', async () => {
    const model = scriptedModel(() => ({ text: 'from the model' }));
    const wrap = (wrapModelCall: NonNullable<AgentHandler['wrapModelCall']>) =>
      collect(new Pipeline([{ name: 'w', wrapModelCall }]).callModel(request, (given) => model.stream(given), run()));
    const { value: cached } = await collect(scriptedModel([{ text: 'cached' }]).stream(request));

    const skipped = await wrap(async function* () {
      return cached;
    });
    await wrap(async function* (given, next) {
      yield* next({ ...given, instruction: 'changed' });
      return yield* next(given);
    });

    expect(skipped.value).toBe(cached);
    expect(model.requests.map(({ instruction }) => instruction)).toEqual(['changed', '']);
  });

  it('passes the same run to all', async () => {
    const seen = new Set<unknown>();
    const one = run();
    const handler: AgentHandler = {
      name: 'h',
      beforeAgent: (_, given) => void seen.add(given),
      beforeModelRewriteHistory: (messages, given) => (seen.add(given), messages),
      async *wrapToolCall(call, next, given) {
        seen.add(given);
        return yield* next(call);
      },
    };
    const pipeline = new Pipeline([handler]);

    await pipeline.beforeAgent(configOf(), one);
    await pipeline.beforeModel([], one);
    await collect(pipeline.callTool(callOf(), answering(), one));

    expect([...seen]).toEqual([one]);
  });

  it('calls methods on their handler', async () => {
    class Counting {
      readonly name = 'counting';
      count = 0;
      async *wrapToolCall(call: never, next: (call: never) => AsyncGenerator<AgentEvent, never, void>) {
        this.count += 1;
        return yield* next(call);
      }
    }
    const handler = new Counting();

    await collect(new Pipeline([handler]).callTool(callOf(), answering(), run()));

    expect(handler.count).toBe(1);
  });
});
