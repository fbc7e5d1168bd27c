import { type AgentHandler, type Message, objectSchema, type Tool, type ToolCall, type ToolResult } from '@x/core';
import type { Script } from '@x/core/testing';
import { BaseAgentHandler, fromMiddleware, withInvokableToolWrapper, withStreamableToolWrapper } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { ran } from '../test/ran.ts';
import { calls, linesOf, recordsOf, toolNamed } from '../test/run-options.ts';

const done = { text: 'Done.' };
const refusal: ToolResult = { output: 'refused', isError: true };

/** A tool that was not made here: its name, schema and stream are what a server says. */
function foreign(streaming: boolean, ranTools: string[] = []): Tool {
  return {
    name: 'mcp__files__list-all',
    description: 'From outside.',
    inputSchema: { json: { type: 'object' }, parse: (input) => input },
    kind: 'execute',
    effect: 'non_idempotent',
    parallelSafe: false,
    streaming,
    async *execute(_, { callId }) {
      ranTools.push(callId);
      yield { type: 'tool_progress', id: callId, delta: 'half' };
      return { output: 'listed', isError: false };
    },
  };
}

describe('a tool wrap', () => {
  const forms = ['promise', 'stream'] as const;
  const kinds: readonly [string, (ranTools: string[]) => Tool][] = [
    ['a plain tool', (ranTools) => toolNamed('t', async (_, { callId }) => (ranTools.push(callId), 'ok'))],
    [
      'a streaming tool',
      (ranTools) =>
        toolNamed(
          't',
          async function* (_, { callId }) {
            ranTools.push(callId);
            yield 'half';
            return 'ok';
          },
          { streaming: true },
        ),
    ],
    ['a foreign tool', (ranTools) => foreign(false, ranTools)],
    ['a foreign tool that streams', (ranTools) => foreign(true, ranTools)],
  ];
  const guards: Record<string, (form: (typeof forms)[number]) => AgentHandler> = {
    'with*': (form) =>
      form === 'promise'
        ? withInvokableToolWrapper(async () => refusal)
        : withStreamableToolWrapper(async function* () {
            return refusal;
          }),
    record: (form) =>
      fromMiddleware({
        wrapToolCall:
          form === 'promise'
            ? { invokable: () => async () => refusal }
            : {
                streamable: () =>
                  async function* () {
                    return refusal;
                  },
              },
      }),
    class: (form) =>
      form === 'promise'
        ? new (class extends BaseAgentHandler {
            override wrapInvokableToolCall = async () => refusal;
          })('guard')
        : new (class extends BaseAgentHandler {
            override async *wrapStreamableToolCall() {
              return refusal;
            }
          })('guard'),
  };

  it.each(
    kinds.flatMap(([kind, make]) =>
      forms.flatMap((form) => Object.keys(guards).map((way) => [way, form, kind, make] as const)),
    ),
  )('of the form %s, %s alone, is not walked around by %s', async (way, form, _, make) => {
    const ranTools: string[] = [];
    const tool = make(ranTools);

    const guarded = await ran([calls(tool.name), done], { handlers: [guards[way]!(form)], tools: [tool] });
    const open = await ran([calls(tool.name), done], { handlers: [], tools: [tool] });

    expect(guarded.outputs).toEqual(['refused']);
    expect(ranTools).toHaveLength(1); // of the run without the guard
    expect(open.outputs).not.toEqual(['refused']);
  });

  it('may answer without the tool, change the call, change the result, or call the tool twice', async () => {
    const wrap = (wrapInvokableToolCall: NonNullable<AgentHandler['wrapInvokableToolCall']>) =>
      ran([calls('echo'), done], { handlers: [{ name: 'h', wrapInvokableToolCall }] });

    const skipped = await wrap(async () => ({ output: 'known already', isError: false }));
    const changed = await wrap((call, next) => next({ ...call, input: { text: 'other' } }));
    const rewritten = await wrap(async (call, next) => ({ ...(await next(call)), output: 'redacted' }));
    const twice = await wrap(async (call, next) => {
      const [one, two] = [await next(call), await next({ ...call, input: { text: 'again' } })];
      return { output: `${one.output} ${two.output}`, isError: false };
    });

    expect([skipped, changed, rewritten, twice].map(({ outputs }) => outputs)).toEqual([
      ['known already'],
      ['other'],
      ['redacted'],
      ['0 again'],
    ]);
    expect(
      [skipped, changed, rewritten, twice].map(({ journal }) => recordsOf(journal, 'tool_started').length),
    ).toEqual([0, 1, 1, 2]);
  });

  it('may end a stream early, which runs the finally of the tool; the reader has its answer', async () => {
    const order: string[] = [];
    const endless = toolNamed(
      'endless',
      async function* () {
        try {
          for (;;) yield 'more';
        } finally {
          await Promise.resolve();
          order.push('tool has cleaned up');
        }
      },
      { streaming: true },
    );
    const handler = withStreamableToolWrapper(async function* (call, next) {
      let left = 3;
      for await (const event of next(call)) {
        yield event;
        if (event.type === 'tool_progress' && --left === 0) break;
      }
      order.push('wrap goes on');
      return { output: 'enough', isError: false };
    });

    const { outputs, events } = await ran([calls('endless'), done], { handlers: [handler], tools: [endless] });

    expect(outputs).toEqual(['enough']);
    expect(events.filter(({ type }) => type === 'tool_progress')).toHaveLength(3);
    expect(order).toEqual(['tool has cleaned up', 'wrap goes on']);
  });

  it.each<[string, (call: ToolCall) => ToolCall]>([
    ['in a copy', (call) => ({ ...call, input: { text: 7 } })],
    ['in place', (call) => (Object.assign(call.input as object, { text: 7 }), call)],
  ])(
    'that changes the input %s has it parsed again; what does not fit is an error and nothing runs',
    async (_, change) => {
      const ranTools: unknown[] = [];
      const tool = toolNamed('strict', async (input) => (ranTools.push(input), 'ok'), {
        inputSchema: objectSchema({ text: { type: 'string', description: 'Text.' } }),
      });
      const handler: AgentHandler = { name: 'h', wrapToolCall: (call, next) => next(change(call)) };

      const { outputs } = await ran([{ toolCalls: [{ name: 'strict', input: { text: 'x' } }] }, done], {
        handlers: [handler],
        tools: [tool],
      });

      expect(outputs).toEqual([expect.stringContaining('Invalid input for strict')]);
      expect(ranTools).toEqual([]);
    },
  );

  it('is asked about a tool that does not exist, whatever its form, and may answer in its place', async () => {
    const seen: unknown[] = [];
    const handlers: AgentHandler[] = [
      withStreamableToolWrapper((call, next) => (seen.push(call.tool), next(call))),
      withInvokableToolWrapper(
        async (call, next) => (seen.push(call.tool), call.tool ? next(call) : { output: 'instead', isError: false }),
      ),
    ];

    const { outputs } = await ran([calls('missing'), done], { handlers });

    expect(seen).toEqual([undefined, undefined]);
    expect(outputs).toEqual(['instead']);
  });
});

describe('a model wrap', () => {
  it('may ask again, change the request, or answer in place of the model', async () => {
    const wrap = (wrapModelCall: NonNullable<AgentHandler['wrapModelCall']>, script: Script) =>
      ran(script, { handlers: [{ name: 'h', wrapModelCall }] });
    const spoken = (messages: readonly Message[]) => linesOf(messages).at(-1);

    const again = await wrap(
      async function* (request, next) {
        try {
          return yield* next(request);
        } catch {
          return yield* next(request);
        }
      },
      [{ error: new Error('overloaded') }, { text: 'At last.' }],
    );
    const changed = await wrap((request, next) => next({ ...request, instruction: 'Another.' }), [done]);
    const instead = await wrap(
      async function* (request, next) {
        const reply = yield* next({ ...request, tools: [] });
        return { ...reply, content: [{ type: 'text', text: 'Instead.' }] };
      },
      [calls('echo')],
    );

    expect([again.model.requests.length, spoken(again.value.messages)]).toEqual([2, 'assistant: At last.']);
    expect(changed.model.requests[0]?.instruction).toBe('Another.');
    expect([spoken(instead.value.messages), instead.outputs]).toEqual(['assistant: Instead.', []]);
  });
});
