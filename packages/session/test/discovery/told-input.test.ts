import type { AgentEvent, AssistantMessage, ModelStream } from '@x/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namedStream } from '../../src/discovery/call-by-name.ts';

const reply = (name: string, input: unknown): AssistantMessage => ({
  id: 'r',
  createdAt: '2026-01-01T00:00:00.000Z',
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c', name, input }],
  provider: 'p',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'tool_use',
});

/** A model that tells the input of one call in pieces. */
async function* telling(name: string, pieces: readonly string[], input: unknown): ModelStream {
  yield { type: 'tool_input_start', id: 'c', name };
  for (const delta of pieces) yield { type: 'tool_input_delta', id: 'c', delta };
  return reply(name, input);
}

async function told(stream: ModelStream) {
  const events: AgentEvent[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { events, reply: step.value };
    events.push(step.value);
  }
}

const cut = (text: string, places: readonly number[]) => {
  const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};
const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
const toolName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/);

it('the input of a call by name is told as that of the tool, however it is cut and written', async () => {
  await fc.assert(
    fc.asyncProperty(
      toolName,
      object,
      fc.array(fc.nat(400), { maxLength: 30 }),
      fc.constantFrom(0, 1, 2),
      fc.boolean(),
      async (name, input, places, spaces, isSwapped) => {
        const written = isSwapped ? { input, name } : { name, input };
        const text = JSON.stringify(written, undefined, spaces);

        const { events, reply: said } = await told(namedStream(telling('CallTool', cut(text, places), written)));

        const [start, ...deltas] = events;
        expect(start).toEqual({ type: 'tool_input_start', id: 'c', name });
        const json = deltas.map((one) => (one.type === 'tool_input_delta' ? one.delta : '?')).join('');
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(input)));
        expect(said.content).toEqual([{ type: 'tool_use', id: 'c', name, input }]);
      },
    ),
    { numRuns: 500 },
  );
});

it('other calls, and calls that name nothing, are told as they are', async () => {
  const other = await told(namedStream(telling('Bash', ['{"command":', '"ls"}'], { command: 'ls' })));
  expect(other.events).toHaveLength(3);
  const nothing = await told(namedStream(telling('CallTool', ['{"tool":"x"}'], { tool: 'x' })));
  expect(nothing.events).toEqual([
    { type: 'tool_input_start', id: 'c', name: 'CallTool' },
    { type: 'tool_input_delta', id: 'c', delta: '{"tool":"x"}' },
  ]);
  expect(nothing.reply).toEqual(reply('CallTool', { tool: 'x' }));
});

it('a reader that leaves ends the stream of the model', async () => {
  let isEnded = false;
  async function* endless(): ModelStream {
    try {
      for (;;) yield { type: 'content', delta: 'x' };
    } finally {
      isEnded = true;
    }
  }
  const stream = namedStream(endless());
  await stream.next();
  await stream.return(undefined as never);
  expect(isEnded).toBe(true);
});
