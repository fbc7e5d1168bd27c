import { fc, test } from '@fast-check/vitest';
import type { AssistantMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import {
  anyId,
  call,
  data,
  facts,
  read,
  say,
  signed,
  sse,
  stop,
  text,
  usage,
  wire,
} from '../../test/replies/gemini.ts';

const first = 'Cs8CAVSoXO7u0q3Xb2R1bW15LXNpZ25hdHVyZS1vbmU/+w==';
const second = 'CiQBVKhc7oBhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ego=';
const opaque = (part: object) => ({ type: 'thinking', text: '', ...data({ part }) });
const thinking = (said: string, more: object = {}) => ({ type: 'thinking', text: said, ...more });
const greeting = text('Hello, w\u00f6rld \u{1F30D}!');

/** One stream has a tool of the service. */
const usageOf = (name: string) =>
  name === 'code-execution' ? { ...usage, serviceToolUses: { code_execution: 1 } } : usage;

const table: readonly [name: string, content: readonly object[], stopReason: AssistantMessage['stopReason']][] = [
  ['text', [greeting], 'end'],
  ['text-crlf', [greeting], 'end'],
  ['text-cr', [greeting], 'end'],
  ['text-compact', [greeting], 'end'],
  ['text-over-lines', [greeting], 'end'],
  ['text-with-done', [greeting], 'end'],
  ['text-without-last-blank-line', [greeting], 'end'],
  ['finish-in-every-chunk', [greeting], 'end'],
  ['finish-in-empty-chunk', [greeting], 'end'],
  ['finish-with-empty-text', [greeting], 'end'],
  ['keep-alives', [greeting], 'end'],
  ['empty', [], 'end'],
  ['cached', [greeting], 'end'],
  ['tool-use-usage', [greeting], 'end'],
  ['structured', [text('{"answer": 42}')], 'end'],
  ['thoughts', [thinking('**First**, think.'), text('Then speak.')], 'end'],
  [
    'thoughts-interleaved',
    [thinking('Hm.'), text('A'), thinking('Hm again.', signed(first)), thinking('And again.'), text('B')],
    'end',
  ],
  ['signature-on-empty-part', [greeting, opaque({ text: '', thoughtSignature: first })], 'end'],
  [
    'signature-on-text',
    [text('Hello'), text(', w\u00f6rld \u{1F30D}!', signed(first)), opaque({ text: '', thoughtSignature: second })],
    'end',
  ],
  ['signature-without-text', [greeting, opaque({ text: '', thoughtSignature: first })], 'end'],
  ['call', [thinking('I should echo.'), call(anyId, 'echo', { text: 'h\u00ef' }, signed(first))], 'tool_use'],
  ['call-with-id', [call('fc_8kzq1', 'echo', { text: 'h\u00ef' }, signed(first))], 'tool_use'],
  ['call-with-text', [text('Let me see.'), call('fc_8kzq1', 'echo', { text: 'h\u00ef' }, signed(first))], 'tool_use'],
  ['call-without-arguments', [call('fc_1', 'now', {})], 'tool_use'],
  ['call-with-null-arguments', [call('fc_1', 'now', {})], 'tool_use'],
  [
    'parallel-calls',
    [call('fc_1', 'echo', { text: 'one' }, signed(first)), call('fc_2', 'echo', { text: 'two' })],
    'tool_use',
  ],
  [
    'parallel-calls-without-id',
    [call(anyId, 'echo', { text: 'one' }, signed(first)), call(anyId, 'echo', { text: 'two' })],
    'tool_use',
  ],
  [
    'calls-over-chunks',
    [call('fc_1', 'echo', { text: 'one' }, signed(first)), call('fc_2', 'echo', { text: 'two' })],
    'tool_use',
  ],
  [
    'calls-over-chunks-without-id',
    [call(anyId, 'echo', { text: 'one' }), call(anyId, 'echo', { text: 'two' })],
    'tool_use',
  ],
  ['calls-with-one-id', [call('fc_1', 'echo', { text: 'one' }), call(anyId, 'echo', { text: 'two' })], 'tool_use'],
  [
    'streamed-arguments',
    [call('fc_1', 'echo', { text: 'h\u00ef', options: { times: [2, 3] }, loud: false, to: null }, signed(first))],
    'tool_use',
  ],
  [
    'streamed-calls-without-id',
    [
      call(anyId, 'now', {}, signed(first)),
      call(anyId, 'echo', { list: [{ text: 'one' }, { text: 'two' }] }),
      call(anyId, 'echo', { count: 0.5 }),
    ],
    'tool_use',
  ],
  ['streamed-arguments-interleaved', [call(anyId, 'echo', { text: 'one', to: 'all' })], 'tool_use'],
  [
    'streamed-calls-left-open',
    [call(anyId, 'echo', '{"text":"one"}'), call(anyId, 'echo', '{"text":"two"}')],
    'tool_use',
  ],
  ['streamed-arguments-cut', [call('fc_1', 'echo', '{"text":"h"}')], 'length'],
  ['length', [text('Once upon')], 'length'],
  ['length-in-thoughts', [thinking('Hm')], 'length'],
  ['reason-in-small-letters', [greeting], 'length'],
  ['continuation', [text('Once upon')], 'length'],
  ['safety', [text('Well')], 'refusal'],
  ['model-armor', [text('Well')], 'refusal'],
  ['recitation', [text('Well')], 'refusal'],
  ['other-with-text', [text('Well')], 'end'],
  [
    'code-execution',
    [
      {
        ...opaque({ executableCode: { language: 'PYTHON', code: 'print(6 * 7)' }, thoughtSignature: first }),
        serviceTool: { name: 'code_execution', state: 'called', input: 'print(6 * 7)' },
      },
      {
        ...opaque({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } }),
        serviceTool: { name: 'code_execution', state: 'done' },
      },
      text('It is 42.'),
    ],
    'end',
  ],
  [
    'image',
    [
      text('Here: '),
      {
        type: 'image',
        mediaType: 'image/png',
        data: 'aGk=',
        providerData: { provider: 'gemini', data: { signature: first } },
      },
      text('done.'),
    ],
    'end',
  ],
];

describe('GeminiReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage: usageOf(name), stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'gemini', model: 'gemini-2.5-flash' });
  });

  it.each(table.flatMap(([name, ...rest]) => [1, 7].map((size) => [name, size, ...rest] as const)))(
    'reads %s in pieces of %i',
    (name, size, content, stopReason) => {
      const bytes = wire(name);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );

      expect(facts(read(pieces).message)).toEqual({ content, usage: usageOf(name), stopReason });
    },
  );

  it('keeps calls without an id apart', () => {
    const { content } = read([wire('parallel-calls-without-id')]).message;
    const ids = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));

    expect(new Set(ids).size).toBe(2);
  });

  it('makes one event of the text that came together, in order with the thinking', () => {
    expect(read([wire('thoughts-interleaved')]).events).toEqual([
      { type: 'thinking', delta: 'Hm.' },
      { type: 'content', delta: 'A' },
      { type: 'thinking', delta: 'Hm again.And again.' },
      { type: 'content', delta: 'B' },
    ]);
    expect(read([wire('text')]).events).toEqual([{ type: 'content', delta: greeting.text }]);
  });

  it('reads nothing after [DONE]', () => {
    const { message } = read([Buffer.concat([wire('text-with-done'), wire('error-in-stream')])]);

    expect(message.content).toEqual([greeting]);
  });

  it('reads chunks in a list, and arguments that are text', () => {
    const functionCall = { name: 'echo', args: '{"text":"hi"}' };

    expect(read([sse([say([{ text: 'a' }]), say([{ functionCall }], stop)])]).message.content).toEqual([
      text('a'),
      call(anyId, 'echo', { text: 'hi' }),
    ]);
  });

  it('reads chunks whose unset fields are written down', () => {
    const unset = { thought: null, thoughtSignature: null, inlineData: null };
    const said = { ...unset, text: 'a', functionCall: null };
    const functionCall = { id: null, name: 'echo', args: { text: 'hi' }, partialArgs: null, willContinue: null };
    const called = { ...unset, text: null, functionCall };
    const chunks = [
      { ...say([said], { finishReason: null, finishMessage: null }), error: null, promptFeedback: null },
      { ...say([called, { ...unset, text: null }], stop), usageMetadata: null },
    ];

    expect(read([sse(...chunks)]).message).toMatchObject({
      content: [text('a'), call(anyId, 'echo', { text: 'hi' })],
      stopReason: 'tool_use',
    });
  });

  it('survives chunks of any shape', () => {
    const parts = [null, 7, [], {}, { text: 7 }, { text: null }, { functionCall: null }, { functionCall: {} }];
    const odd = [null, 7, [], [null], {}, { candidates: null }, { candidates: [null] }, { candidates: [{}] }];
    const more = [{ candidates: [{ content: null }] }, say(null), say({}), say(parts), { usageMetadata: 'none' }];
    const last = [{ error: null }, { promptFeedback: {} }, { usageMetadata: { promptTokenCount: '7' } }];

    expect(read([sse(...odd, ...more, ...last), wire('text')]).message).toMatchObject({ content: [greeting], usage });
  });

  const names = table.map(([name]) => name);
  test.prop([fc.constantFrom(...names), fc.array(fc.nat({ max: 4000 }), { maxLength: 100, size: 'max' })])(
    'reads the same message wherever the bytes are split, and its deltas add up to it',
    (name, cuts) => {
      const bytes = wire(name);
      const ends = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
      const { events, message } = read(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)));

      const [, content, stopReason] = table.find(([known]) => known === name)!; // it is one of them
      expect(facts(message)).toEqual({ content, usage: usageOf(name), stopReason });
      for (const [type, block] of [
        ['content', 'text'],
        ['thinking', 'thinking'],
      ] as const) {
        const streamed = events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
        const kept = message.content.flatMap((part) => (part.type === block ? [part.text] : [])).join('');
        expect(streamed).toBe(kept);
      }
    },
  );
});
