import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type Message, textOf, userMessage } from '@x/core';
import { collect, type Script, scriptedModel } from '@x/core/testing';
import { outputFormatHandler } from '@x/handlers';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { linesOf, recordsOf, runOptions } from '../test/run-options.ts';
import { createChatModelAgent } from './chat-model-agent.ts';
import { memoryJournal, type ScopedRecord } from './memory-journal.ts';
import { runAgent } from './run-agent.ts';

const schema = z.object({ n: z.number() });
const handler = () => outputFormatHandler({ type: 'json_schema', schema });
const repliesIn = (messages: readonly Message[]) => messages.filter(({ role }) => role === 'assistant').length;

/** A model that says these texts one after the other, as the history goes on: also after a crash. */
const saying =
  (texts: readonly string[]): Script =>
  ({ messages }) => ({ text: texts[repliesIn(messages)] ?? 'one too many' });

/** A run behind these records; what it comes to, and what it has left. */
async function attempt(texts: readonly string[], records: readonly ScopedRecord[]) {
  const journal = memoryJournal({ records });
  const input = journal.past.messages.length > 0 ? [] : [userMessage('Begin.')];
  const { options } = runOptions(saying(texts), { handlers: [handler()], journal, input });
  const outcome = await collect(runAgent(options)).then(
    ({ value }) => ({ structured: value.structured }),
    (error: unknown) => ({ code: (error as { code?: string }).code }),
  );
  const messages = recordsOf(journal, 'message').map(({ message }) => message);
  return { outcome, records: journal.records, lines: linesOf(messages).map((line) => line.split(':')[0]) };
}

describe('a run with an output format', () => {
  it.each([
    ['is mended in time', ['a', 'b', '{"n":1}'], { structured: { n: 1 } }, 3],
    ['is never mended', ['a', 'b', 'c', '{"n":1}'], { code: 'OUTPUT_INVALID' }, 3],
    ['fits at once', ['{"n":1}'], { structured: { n: 1 } }, 1],
  ])('that %s comes to the same wherever the process has ended', async (_, texts, outcome, replies) => {
    const whole = await attempt(texts, []);

    expect(whole.outcome).toEqual(outcome);
    expect(whole.lines.filter((role) => role === 'assistant')).toHaveLength(replies);
    for (let kept = 0; kept <= whole.records.length; kept++) {
      const resumed = await attempt(texts, whole.records.slice(0, kept));

      expect(resumed.outcome).toEqual(outcome);
      expect(resumed.lines).toEqual(whole.lines);
    }
  });

  it('has nothing structured where the last answer does not fit', async () => {
    const { options } = runOptions([{ text: '{"n":"1"}' }, { text: 'n = 1' }], { handlers: [handler()], maxTurns: 2 });

    const { value } = await collect(runAgent(options));

    expect(value.subtype).toBe('max_turns');
    expect(value).not.toHaveProperty('structured');
  });

  it('is what createChatModelAgent runs and streams, too', async () => {
    const agent = (text: string) =>
      createChatModelAgent({
        name: 'counter',
        description: 'Counts.',
        model: scriptedModel(() => ({ text })),
        handlers: [handler()],
      });

    const result = await agent('```json\n{"n":1}\n```').run('How many?');
    const events = await Array.fromAsync(agent('{"n":1}').stream('How many?'));
    const failed = await Array.fromAsync(agent('one').stream('How many?'));

    expect(result).toMatchObject({ subtype: 'success', content: '{"n":1}', structured: { n: 1 }, turns: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'result', content: '{"n":1}', structured: { n: 1 } });
    expect(failed.slice(-2)).toMatchObject([{ type: 'error', code: 'OUTPUT_INVALID' }, { subtype: 'error' }]);
    expect(failed.at(-1)).not.toHaveProperty('structured');
    await expect(agent('one').run('How many?')).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
  });
});

/** Schemas, each with the values that fit it as JSON. */
const SHAPES: readonly (readonly [string, z.ZodType, fc.Arbitrary<unknown>])[] = [
  [
    'objects with what may be absent',
    z.object({ a: z.string(), b: z.number().optional(), c: z.boolean().nullable() }),
    fc.record(
      { a: fc.string(), b: fc.double({ noNaN: true, noDefaultInfinity: true }), c: fc.option(fc.boolean()) },
      {
        requiredKeys: ['a', 'c'],
      },
    ),
  ],
  [
    'lists in lists',
    z.object({ rows: z.array(z.array(z.object({ cell: z.int() }))) }),
    fc.record({ rows: fc.array(fc.array(fc.record({ cell: fc.integer() }))) }),
  ],
  [
    'unions',
    z.array(z.union([z.string(), z.number(), z.object({ kind: z.literal('x'), value: z.string() })])),
    fc.array(fc.oneof(fc.string(), fc.integer(), fc.record({ kind: fc.constant('x'), value: fc.string() }))),
  ],
  [
    'defaults and transforms',
    z.object({
      n: z.int().default(7),
      text: z.string().transform((text) => text.length),
      list: z.array(z.int()).default([]),
    }),
    fc.record({ n: fc.integer(), text: fc.string(), list: fc.array(fc.integer()) }, { requiredKeys: ['text'] }),
  ],
  ['records', z.record(z.string(), z.number()), fc.dictionary(fc.string({ minLength: 1 }), fc.integer())],
  ['texts', z.string(), fc.string()],
];

/** Ways to write a value down that are all the same answer. */
const writing = fc.constantFrom(
  (json: string) => json,
  (json: string) => `\n${json} `,
  (json: string) => `\`\`\`json\n${json}\n\`\`\``,
);

describe.each(SHAPES)('an answer of %s', (_, shape, values) => {
  test.prop([values, writing, fc.integer({ min: 0, max: 2 })])(
    'is what the schema makes of it, however it is written and after however many attempts',
    async (value, write, failures) => {
      const json = JSON.stringify(value);
      const texts = [...Array<string>(failures).fill('no answer'), write(json)];
      const { options } = runOptions(saying(texts), {
        handlers: [outputFormatHandler({ type: 'json_schema', schema: shape })],
      });

      const { value: ended } = await collect(runAgent(options));

      expect(ended.structured).toEqual(shape.parse(JSON.parse(json)));
      expect(ended.content ?? textOf(ended.messages.at(-1) as AssistantMessage)).toBe(json);
    },
  );

  test.prop([fc.jsonValue(), writing])('is never one that does not fit', async (value, write) => {
    const { options } = runOptions(() => ({ text: write(JSON.stringify(value)) }), {
      handlers: [outputFormatHandler({ type: 'json_schema', schema: shape })],
    });

    const ended = await collect(runAgent(options)).then(
      (run) => run.value.structured,
      (error: unknown) => (error as { code?: string }).code,
    );

    const parsed = shape.safeParse(JSON.parse(JSON.stringify(value)));
    expect(ended).toEqual(parsed.success ? parsed.data : 'OUTPUT_INVALID');
  });
});
