import { fc, test } from '@fast-check/vitest';
import {
  type AgentHandler,
  type Message,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolNext,
  type ToolStream,
  textOf,
} from '@x/core';
import { Pipeline } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { SHAPES, type Shape, type ShapeName } from '../test/order-handlers.ts';
import { type CallFacts, faultIn, namesAt, outputOf, type Plan, type Step } from '../test/order-oracle.ts';
import { recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

const TOOLS = {
  plain: { streaming: false, parallelSafe: true, exists: true },
  streams: { streaming: true, parallelSafe: true, exists: true },
  alone: { streaming: false, parallelSafe: false, exists: true },
  'streams-alone': { streaming: true, parallelSafe: false, exists: true },
  missing: { streaming: false, parallelSafe: false, exists: false },
};
type ToolName = keyof typeof TOOLS;
type MakePipeline = (handlers: readonly AgentHandler[]) => Pipeline;

const toolNames = Object.keys(TOOLS) as ToolName[];
const shapeNames = Object.keys(SHAPES) as ShapeName[];
const turnsOf = (longest: number) =>
  fc.array(fc.array(fc.constantFrom(...toolNames), { minLength: 1, maxLength: longest }), { maxLength: 3 });
const patient = fc.array(fc.nat(2), { minLength: 8, maxLength: 8 });

/** A tool that writes down that it runs, and takes its time: as many turns of the event loop as `waits` says for the call's place. */
function tracedTool(name: ToolName, trace: Step[], waits: readonly number[]): Tool {
  const { streaming, parallelSafe } = TOOLS[name];
  const work = async (id: string) => {
    trace.push({ at: 'tool', call: id });
    const turns = waits[Number(id.at(-1)) % waits.length] ?? 0;
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const more = { streaming, parallelSafe };
  if (!streaming) return toolNamed(name, async (_, { callId }) => (await work(callId), name), more);
  return toolNamed(
    name,
    async function* (_, { callId }) {
      await work(callId);
      yield 'half';
      return name;
    },
    more,
  );
}

/** Drives the loop with handlers of these shapes, named a, b, c, ...; the model calls these tools turn by turn, then says a word. */
async function driven(
  shapes: readonly ShapeName[],
  turns: readonly (readonly ToolName[])[],
  {
    waits = [0],
    maxParallelTools = 8,
    make,
  }: { waits?: readonly number[]; maxParallelTools?: number; make?: MakePipeline } = {},
) {
  const trace: Step[] = [];
  const note = (at: string, call?: ToolCall) => void trace.push(call ? { at, call: call.id } : { at });
  const named = shapes.map((shape, index) => ({ name: 'abcdefgh'[index]!, ...(SHAPES[shape] as Shape) }));
  const handlers = named.map(({ name, make: makeOne }) => makeOne(name, note));
  const calls = turns.map((names, turn) => names.map((name, index) => ({ name, id: `t${turn}c${index}` })));
  const plan: Plan = {
    handlers: named,
    turns: calls.map((uses) => uses.map(({ name, id }): CallFacts => ({ id, ...TOOLS[name] }))),
  };
  const script = [...calls.map((toolCalls) => ({ toolCalls })), { text: 'Done.' }];
  const tools = toolNames.filter((name) => TOOLS[name].exists).map((name) => tracedTool(name, trace, waits));
  const { options, journal, model } = runOptions(script, { handlers, tools, maxParallelTools, maxTurns: 9 });
  const speaking = {
    ...model,
    stream: (request: Parameters<typeof model.stream>[0]) => (note('model'), model.stream(request)),
  };
  const pipeline = make ? make(handlers) : options.pipeline;
  for await (const event of runAgent({ ...options, pipeline, model: speaking })) {
    if (event.type === 'tool_started') trace.push({ at: 'started', call: event.id });
    if (event.type === 'tool_result') trace.push({ at: 'ended', call: event.id });
  }
  return { trace, plan, journal, model };
}

/** All orders of a list. */
function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((one, index) => permutations(list.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}

const texts = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));

describe('the order of handlers', () => {
  it.each(permutations(['everything', 'promise form', 'stream form', 'both forms'] as const))(
    'is pipeline and onion for %s, %s, %s, %s',
    async (...shapes) => {
      const { trace, plan } = await driven(shapes, [
        ['plain', 'streams', 'plain'],
        ['alone', 'missing', 'streams'],
      ]);

      expect(faultIn(trace, plan)).toBeUndefined();
    },
  );

  it('is that of the list and of nothing else: all orders of four recorders', async () => {
    const orders = permutations(['a', 'b', 'c', 'd']);
    for (const order of orders) {
      const seen: string[] = [];
      const handlers = order.map((name) => SHAPES.everything.make(name, (at) => void seen.push(at)));
      const { options } = runOptions([{ toolCalls: [{ name: 'echo', input: { text: 'x' } }] }, { text: 'Done.' }], {
        handlers,
      });

      for await (const _ of runAgent(options)) continue;

      const at = (what: string) => seen.filter((one) => one.endsWith(what)).map((one) => one[0]);
      expect([at('beforeAgent'), at('beforeUserMessage'), at('afterAgent'), at('wrap in')]).toEqual(
        Array(4).fill(order),
      );
      expect([at('beforeModel'), at('model in'), at('afterModel')]).toEqual(Array(3).fill([...order, ...order]));
      expect(at('wrap out')).toEqual(order.toReversed());
      expect(at('model out')).toEqual([...order.toReversed(), ...order.toReversed()]);
    }
    expect(orders).toHaveLength(24);
  });

  test.prop(
    [fc.array(fc.constantFrom(...shapeNames), { maxLength: 6 }), turnsOf(5), patient, fc.integer({ min: 1, max: 4 })],
    {
      numRuns: 300,
    },
  )(
    'is pipeline and onion for any mix of handlers, tools and parallel batches',
    async (shapes, turns, waits, limit) => {
      const { trace, plan } = await driven(shapes, turns, { waits, maxParallelTools: limit });

      expect(faultIn(trace, plan)).toBeUndefined();
    },
  );

  test.prop([fc.array(fc.constantFrom(...shapeNames), { maxLength: 6 })], { numRuns: 100 })(
    'is also the order in which each gets what the one before it has left',
    async (shapes) => {
      const { plan, journal, model } = await driven(shapes, [['plain', 'streams', 'alone', 'missing']]);

      expect(model.requests[0]?.instruction).toBe(['Be short.', ...namesAt(plan, 'beforeAgent')].join(' '));
      expect(texts(model.requests[0]!.messages)).toEqual(['Begin.', ...namesAt(plan, 'beforeModel')]);
      const replies = recordsOf(journal, 'message').filter(({ message }) => message.role === 'assistant');
      expect(replies.map(({ message }) => textOf(message))).toEqual(
        ['', 'Done.'].map((text) => text + namesAt(plan, 'afterModel').join('')),
      );
      expect(
        recordsOf(journal, 'tool_finished')
          .map(({ result }) => result.output)
          .toSorted(),
      ).toEqual(
        ['plain', 'streams', 'alone', 'Tool not found: missing'].map((output) => outputOf(plan, output)).toSorted(),
      );
    },
  );
});

/** Rewriters after the model in reverse order, as if they were the way out of an onion. */
class AfterReversed extends Pipeline {
  override afterModel(messages: readonly Message[], run: RunContext): Promise<readonly Message[]> {
    return new Pipeline(this.handlers.toReversed()).afterModel(messages, run);
  }
}
/** The last handler outermost. */
class LastOutermost extends Pipeline {
  override callTool(call: ToolCall, tool: ToolNext, run: RunContext): ToolStream {
    return new Pipeline(this.handlers.toReversed()).callTool(call, tool, run);
  }
}
/** Narrow forms that bind only the kind of tool they are named after. */
class NarrowBound extends Pipeline {
  override callTool(call: ToolCall, tool: ToolNext, run: RunContext): ToolStream {
    const bound = this.handlers.filter(
      (one) => one.wrapToolCall ?? (call.tool?.streaming ? one.wrapStreamableToolCall : one.wrapInvokableToolCall),
    );
    return new Pipeline(bound).callTool(call, tool, run);
  }
}
/** Nothing goes on before the one call is over. */
describe('the oracle', () => {
  it.each([
    ['after-hooks in reverse order', ['everything', 'middleware'], AfterReversed, 'model side'],
    ['the last handler outermost', ['promise form', 'stream form'], LastOutermost, 'call t0c0'],
    ['a promise form that a streaming tool walks around', ['promise form'], NarrowBound, 'call t0c1'],
    ['a stream form that a plain tool walks around', ['class, stream form'], NarrowBound, 'call t0c0'],
  ] as const)('finds %s', async (_, shapes, Wrong, where) => {
    const { trace, plan } = await driven(shapes, [['plain', 'streams']], { make: (handlers) => new Wrong(handlers) });

    expect(faultIn(trace, plan)).toContain(where);
  });

  it('finds a call that begins too early, too late, or twice', async () => {
    const { trace, plan } = await driven(['everything'], [['alone', 'plain']]);
    const first = (id: string) => trace.findIndex(({ call }) => call === id);
    const early = trace.toSpliced(first('t0c0'), 0, ...trace.filter(({ call }) => call === 't0c1'));
    const moved = early.filter((step, index) => step.call !== 't0c1' || index < first('t0c0') + 5);

    expect(faultIn(trace, plan)).toBeUndefined();
    expect(faultIn(early, plan)).toContain('call t0c1');
    expect(faultIn(moved, plan)).toContain('begins before');
    expect(faultIn([...trace, { at: 'tool', call: 't0c0' }], plan)).toContain('call t0c0');
  });
});
