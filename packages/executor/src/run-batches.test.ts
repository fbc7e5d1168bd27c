import { getEventListeners } from 'node:events';
import { fc, test } from '@fast-check/vitest';
import type { AgentHandler } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, echo, linesOf, type RunParts, recordsOf, runOptions, toolNamed } from '../test/run-options.ts';
import { runAgent } from './run-agent.ts';

/** Tools that tell which of them ran at the same time. */
function watchedTools() {
  const running = new Set<string>();
  const together: string[][] = [];
  let most = 0;
  const watched = (name: string, parallelSafe: boolean) =>
    toolNamed(
      name,
      async (_, { callId }) => {
        running.add(callId);
        most = Math.max(most, running.size);
        together.push([...running].toSorted());
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(callId);
        return name;
      },
      { parallelSafe },
    );
  return { tools: [watched('safe', true), watched('alone', false)], together, most: () => most };
}

/** The outputs of the calls of one reply. */
async function answersTo(names: readonly string[], parts: RunParts) {
  const run = runOptions([calls(...names), { text: 'Done.' }], parts);
  const { events } = await collect(runAgent(run.options));
  const results = events.filter((event) => event.type === 'tool_result');
  return { ...run, events, results };
}

describe('the calls of one reply', () => {
  test.prop([
    fc.array(fc.constantFrom('safe', 'alone', 'echo', 'missing'), { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 4 }),
  ])(
    'are answered once each, in call order for the model; neighbours that are safe run together, others alone (Q02, Q03)',
    async (names, maxParallelTools) => {
      const { tools, together, most } = watchedTools();

      const { journal, events, model } = await answersTo(names, { tools: [...tools, echo()], maxParallelTools });

      const ids = names.map((name, index) => `${name}${index}`);
      const finished = recordsOf(journal, 'tool_finished').map(({ callId }) => callId);
      expect(finished.toSorted()).toEqual(ids.toSorted());
      expect(events.flatMap((event) => (event.type === 'tool_use' ? [event.id] : []))).toEqual(ids);
      expect(most()).toBeLessThanOrEqual(maxParallelTools);
      for (const group of together) if (group.some((id) => id.startsWith('alone'))) expect(group).toHaveLength(1);
      const outputs = names.map((name, index) =>
        name === 'echo' ? `${index}` : name === 'missing' ? 'Tool not found: missing' : name,
      );
      expect(linesOf(model.requests[1]!.messages).at(-1)).toBe(`tool: ${outputs.join(' ')}`);
    },
  );

  it('run together when they are neighbours, and wait for one that is not safe (Q02)', async () => {
    const { tools, together } = watchedTools();

    await answersTo(['safe', 'safe', 'alone', 'safe'], { tools });

    expect(together.at(1)).toEqual(['safe0', 'safe1']);
    expect(together.slice(2)).toEqual([['alone2'], ['safe3']]);
  });

  it('enter the checks in call order: one begins when the one before has begun or ended (Q02)', async () => {
    const order: string[] = [];
    const handler: AgentHandler = {
      name: 'slow-check',
      async *wrapToolCall(call, next) {
        order.push(`check ${call.id}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`pass ${call.id}`);
        return yield* next(call);
      },
    };

    await answersTo(['echo', 'echo', 'echo'], { handlers: [handler] });

    expect(order).toEqual(['check echo0', 'pass echo0', 'check echo1', 'pass echo1', 'check echo2', 'pass echo2']);
  });

  it('are all answered when a handler throws, those that have not begun without being run; then the run fails (A20, A22)', async () => {
    const handler: AgentHandler = {
      name: 'throws',
      async *wrapToolCall(call, next) {
        if (call.id === 'echo1') throw new Error('handler');
        return yield* next(call);
      },
    };
    const { options, journal, model } = runOptions([calls('echo', 'echo', 'echo')], { handlers: [handler] });

    await expect(collect(runAgent(options))).rejects.toThrow('handler');

    const answers = recordsOf(journal, 'tool_finished').map(({ callId, result }) => `${callId} ${result.isError}`);
    expect(answers.toSorted()).toEqual(['echo0 false', 'echo1 true', 'echo2 true']);
    expect(model.requests).toHaveLength(1);
  });

  it('fail with the error of the handler also when it is thrown before the stream', async () => {
    const handler: AgentHandler = {
      name: 'throws',
      wrapToolCall: () => {
        throw new Error('at once');
      },
    };
    const { options, journal } = runOptions([calls('echo')], { handlers: [handler] });

    await expect(collect(runAgent(options))).rejects.toThrow('at once');

    expect(recordsOf(journal, 'tool_finished')).toHaveLength(1);
  });

  it.each([undefined, null, {}, { output: 1, isError: false }, { output: 'x' }])(
    'fail when a handler answers %j',
    async (result) => {
      const handler: AgentHandler = {
        name: 'breaks',
        // oxlint-disable-next-line require-yield
        async *wrapToolCall() {
          return result as never;
        },
      };
      const { options, journal } = runOptions([calls('echo')], { handlers: [handler] });

      await expect(collect(runAgent(options))).rejects.toThrow(
        'wrapToolCall of handler breaks must return a tool result with output and isError: return yield* next(call)',
      );

      expect(recordsOf(journal, 'tool_finished')[0]?.result.isError).toBe(true);
    },
  );

  it('do not ask handlers about an input that does not fit the schema', async () => {
    const asked: string[] = [];
    const handler: AgentHandler = {
      name: 'asks',
      async *wrapToolCall(call, next) {
        asked.push(call.id);
        return yield* next(call);
      },
    };
    const toolCalls = [
      { id: 'bad', name: 'echo', input: {} },
      { id: 'none', name: 'missing' },
    ];
    const { options } = runOptions([{ toolCalls }, { text: 'Done.' }], { handlers: [handler] });

    await collect(runAgent(options));

    expect(asked).toEqual(['none']); // an unknown tool is shown to them (A44)
  });

  it('keep what the handlers made of a result, without what only this process can see', async () => {
    const handler: AgentHandler = {
      name: 'shouts',
      async *wrapToolCall(call, next) {
        const result = yield* next(call);
        return { ...result, output: `${result.output}!`, data: { secret: 1 } };
      },
    };

    const { journal, results } = await answersTo(['echo'], { handlers: [handler] });

    expect(results).toMatchObject([{ output: '0!' }]);
    expect(recordsOf(journal, 'tool_finished')[0]?.result).toEqual({ output: '0!', isError: false });
  });

  it('leave no listener on the signal of the run', async () => {
    const { signal } = new AbortController();

    await answersTo(['echo', 'echo', 'missing'], { signal, toolTimeout: 1000 });

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('calls of a tool of computer use', () => {
  const computer = (answer: () => Promise<string>) => ({
    ...toolNamed('computer', answer),
    computer: { width: 9, height: 9 },
  });
  const fails = () => Promise.reject(new Error('gone'));

  it('are a sequence: none runs behind one that failed, and other tools do', async () => {
    let times = 0;
    const tools = [computer(() => (times++ === 1 ? fails() : Promise.resolve('ok'))), echo()];
    const script = [calls('computer', 'computer', 'echo', 'computer'), { text: 'Done.' }];
    const { options, model } = runOptions(script, { tools });

    await collect(runAgent({ ...options, model: { ...model, usesComputer: true } }));

    expect(times).toBe(2);
    expect(linesOf(model.requests[1]!.messages).at(-1)).toMatch(
      /^tool: ok .*gone.* 2 Not executed: an earlier computer action in this turn failed\.$/,
    );
  });

  it('are refused with the run of a model without it, by the names of both', async () => {
    const { options, model } = runOptions([{ text: 'Hi.' }], { tools: [computer(async () => 'ok')] });

    await expect(collect(runAgent(options))).rejects.toThrow(`the tool computer is not taken by ${model.name}`);
  });
});
