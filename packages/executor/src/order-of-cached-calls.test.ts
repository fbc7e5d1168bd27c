import type { ToolCall, ToolResult } from '@x/core';
import { BaseAgentHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { ran } from '../test/ran.ts';
import { recordsOf, toolNamed } from '../test/run-options.ts';

const done = { text: 'Done.' };

/** The text of a JSON value in which the order of keys does not show. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

describe('a custom handler with a cache', () => {
  class CachingHandler extends BaseAgentHandler {
    readonly #cache = new Map<string, ToolResult>();

    override async wrapInvokableToolCall(
      call: ToolCall,
      next: (call: ToolCall) => Promise<ToolResult>,
    ): Promise<ToolResult> {
      const key = `${call.name}:${canonical(call.input)}`;
      const cached = this.#cache.get(key);
      if (cached) return cached;
      const result = await next(call);
      if (!result.isError) this.#cache.set(key, result);
      return result;
    }
  }
  /** Adds its numbers up, one turn of the event loop later; fails below zero. */
  const adding = (ranTools: string[], streaming = false) =>
    toolNamed(
      'add',
      async (input, { callId }) => {
        const { a, b } = input as { a: number; b: number };
        ranTools.push(callId);
        await new Promise((resolve) => setImmediate(resolve));
        if (a < 0) throw new Error('below zero');
        return `${a}+${b}`;
      },
      { streaming, inputSchema: { json: { type: 'object' }, parse: (input) => input } },
    );
  const adds = (inputs: readonly object[]) => ({
    toolCalls: inputs.map((input, index) => ({ id: `c${index}`, name: 'add', input })),
  });

  it.each([false, true])(
    'calls the tool once for equal calls, whatever the order of keys, and keeps no error; streaming: %s',
    async (streaming) => {
      const ranTools: string[] = [];
      const script = [
        adds([{ a: 1, b: 2 }]),
        adds([
          { b: 2, a: 1 },
          { a: 1, b: 3 },
        ]),
        adds([{ a: -1, b: 0 }]),
        adds([{ a: -1, b: 0 }]),
        done,
      ];

      const { outputs } = await ran(script, {
        handlers: [new CachingHandler('cache')],
        tools: [adding(ranTools, streaming)],
      });

      expect(outputs).toEqual(['1+2', '1+2', '1+3', 'below zero', 'below zero']);
      expect(ranTools).toHaveLength(4);
    },
  );

  it('mixes nothing up and loses nothing under 50 parallel calls', async () => {
    const ranTools: string[] = [];
    const inputs = Array.from({ length: 50 }, (_, index) => ({ a: index % 25, b: index }));

    const { journal } = await ran([adds(inputs), adds(inputs), done], {
      handlers: [new CachingHandler('cache')],
      tools: [adding(ranTools)],
      maxParallelTools: 50,
    });

    const records = recordsOf(journal, 'tool_finished').map(({ result }) => result.output);
    const expected = inputs.map(({ a, b }) => `${a}+${b}`).toSorted();
    expect(records.slice(0, 50).toSorted()).toEqual(expected);
    expect(records.slice(50).toSorted()).toEqual(expected);
    expect(ranTools).toHaveLength(50);
  });

  it('shares nothing with the one of another agent', async () => {
    const ranTools: string[] = [];
    const agent = () =>
      ran([adds([{ a: 1, b: 2 }]), done], { handlers: [new CachingHandler('cache')], tools: [adding(ranTools)] });

    await agent();
    await agent();

    expect(ranTools).toHaveLength(2);
  });
});
