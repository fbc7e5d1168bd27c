import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type ModelRequest, objectSchema, type Tool, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { GeminiReplyReader } from './from-stream.ts';

const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
const reader = () =>
  new GeminiReplyReader({ model: 'gemini-2.5-flash', request, context: { provider: 'gemini', apiKey: 'k-4711' } });
const wire = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url));
const sse = (...chunks: readonly unknown[]) =>
  Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
const say = (parts: unknown, more: object = {}) => ({ candidates: [{ content: { parts, role: 'model' }, ...more }] });
const stop = { finishReason: 'STOP' };

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
function read(pieces: readonly Uint8Array[]) {
  const decoder = new TextDecoder();
  const reply = reader();
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
function facts({ content, usage, stopReason }: AssistantMessage) {
  return { content, usage, stopReason };
}

const first = 'Cs8CAVSoXO7u0q3Xb2R1bW15LXNpZ25hdHVyZS1vbmU/+w==';
const second = 'CiQBVKhc7oBhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ego=';
const data = (kept: object) => ({ providerData: { provider: 'gemini', data: kept } });
const signed = (signature: string) => data({ signature });
const opaque = (part: object) => ({ type: 'thinking', text: '', ...data({ part }) });
const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more });
const thinking = (said: string, more: object = {}) => ({ type: 'thinking', text: said, ...more });
const call = (id: unknown, name: string, input: unknown, more: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
  ...more,
});
const anyId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
const greeting = text('Hello, w\u00f6rld \u{1F30D}!');
const usage = { inputTokens: 120, outputTokens: 34, totalTokens: 154, cacheReadTokens: 64, reasoningTokens: 8 };

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
      opaque({ executableCode: { language: 'PYTHON', code: 'print(6 * 7)' }, thoughtSignature: first }),
      opaque({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } }),
      text('It is 42.'),
    ],
    'end',
  ],
  [
    'image',
    [
      text('Here: '),
      opaque({ inlineData: { mimeType: 'image/png', data: 'aGk=' }, thoughtSignature: first }),
      text('done.'),
    ],
    'end',
  ],
];

describe('GeminiReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage, stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'gemini', model: 'gemini-2.5-flash' });
  });

  it.each(table.flatMap(([name, ...rest]) => [1, 7].map((size) => [name, size, ...rest] as const)))(
    'reads %s in pieces of %i',
    (name, size, content, stopReason) => {
      const bytes = wire(name);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );

      expect(facts(read(pieces).message)).toEqual({ content, usage, stopReason });
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

  it('says that a refused prompt is a refusal', () => {
    expect(facts(read([wire('prompt-blocked')]).message)).toEqual({
      content: [],
      usage: { inputTokens: 120, outputTokens: 0, totalTokens: 120 },
      stopReason: 'refusal',
    });
  });

  it('does not take a reason that was not set for one', () => {
    const unset = { promptFeedback: { blockReason: 'BLOCKED_REASON_UNSPECIFIED' } };

    expect(read([sse({ ...say([{ text: 'a' }], stop), ...unset })]).message.stopReason).toBe('end');
    expect(() => read([sse({ ...say([{ text: 'a' }]), ...unset })])).toThrowError(
      expect.objectContaining({ retryable: true }),
    );
  });

  it.each([
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
  ])('says that %s is a refusal, said anything or not', (finishReason) => {
    expect(read([sse(say([], { finishReason }))]).message.stopReason).toBe('refusal');
    expect(read([sse(say([{ text: 'So' }], { finishReason }))]).message.stopReason).toBe('refusal');
  });

  it('takes the last reason that says something', () => {
    const cut = { finishReason: 'MAX_TOKENS' };
    const unspecified = { finishReason: 'FINISH_REASON_UNSPECIFIED' };

    expect(read([sse(say([{ text: 'a' }], stop), say([], cut))]).message.stopReason).toBe('length');
    expect(read([sse(say([{ text: 'a' }], cut), say([], unspecified))]).message.stopReason).toBe('length');
    expect(read([sse(say([{ text: 'a' }], unspecified))]).message.stopReason).toBe('end');
    expect(read([sse(say([{ text: 'a' }], { finishReason: 'NEVER_SEEN' }))]).message.stopReason).toBe('end');
  });

  it('takes each count from the last chunk that has it, and estimates when none was reported', () => {
    const known = [{ text: 'a' }];
    const chunks = [
      { ...say(known), usageMetadata: { promptTokenCount: 5, cachedContentTokenCount: 4 } },
      { ...say(known), usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 1 } },
      { ...say(known), usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 1 } },
      { ...say(known), usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 1 } },
      { ...say([], stop), usageMetadata: { thoughtsTokenCount: 3 } },
    ];

    expect(read([sse(...chunks)]).message).toMatchObject({
      content: [{ text: 'aaaa' }],
      usage: { inputTokens: 6, outputTokens: 4, totalTokens: 10, cacheReadTokens: 4, reasoningTokens: 3 },
    });
    expect(read([sse(say(known, stop))]).message.usage).toMatchObject({ estimated: true });
  });

  it('does not take the counts of a known chunk for those of later ones', () => {
    const chunk = (said: string, count: number) => ({
      ...say([{ text: said }]),
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: count },
    });
    const chunks = [chunk('a', 1), chunk('b', 1), chunk('c', 1), chunk('d', 2), chunk('e', 1), say([], stop)];

    expect(read([sse(...chunks)]).message).toMatchObject({
      content: [{ text: 'abcde' }],
      usage: { outputTokens: 1 },
    });
  });

  it.each([
    ['cut', true, 502],
    ['error-in-stream', true, 503],
    ['error-in-list', false, 400],
    ['error-as-bare-json', true, 429],
    ['error-as-bare-list', true, 429],
    ['error-over-lines', true, 429],
    ['error-event', false, 400],
    ['malformed', true, 502],
    ['malformed-call', true, 502],
    ['other-and-empty', true, 502],
    ['call-without-name', true, 502],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    const error = expect.objectContaining({ code: 'MODEL_ERROR', retryable, statusCode });
    const bytes = wire(name);

    expect(() => read([bytes])).toThrowError(error);
    expect(() => read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toThrowError(error);
  });

  it('finds a bare error behind other bare JSON, in pieces of any size', () => {
    const bytes = Buffer.from(`{"note":"} \\\\"}\n[1]\n${wire('error-as-bare-json').toString()}`);

    for (const size of [1, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(() => read(pieces)).toThrowError(expect.objectContaining({ statusCode: 429 }));
    }
  });

  it('tells what a broken call was, and how long to wait for a quota', () => {
    expect(() => read([wire('malformed-call')])).toThrowError(
      expect.objectContaining({
        message: expect.stringContaining('Malformed function call: print(default_api.echo(text='),
        details: { code: 'MALFORMED_FUNCTION_CALL' },
      }),
    );
    expect(() => read([wire('error-as-bare-json')])).toThrowError(expect.objectContaining({ retryAfter: 3.5 }));
  });

  it('fails when an error follows the end, as the service has not meant it', () => {
    expect(() => read([Buffer.concat([wire('text'), wire('error-in-stream')])])).toThrowError(
      expect.objectContaining({ statusCode: 503 }),
    );
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

  it('keeps streamed calls apart that come at once', () => {
    const piece = (id: string, jsonPath: string, stringValue: string, willContinue = true) => ({
      functionCall: { id, partialArgs: [{ jsonPath, stringValue }], willContinue },
    });
    const start = (id: string) => ({ functionCall: { id, name: 'echo', willContinue: true } });
    const chunks = [
      say([start('a'), start('b')]),
      say([piece('a', '$.text', 'one'), piece('b', '$.text', 'two')]),
      say([piece('b', '$.to', 'B', false), piece('a', '$.to', 'A', false)], stop),
    ];

    expect(read([sse(...chunks)]).message.content).toEqual([
      call('a', 'echo', { text: 'one', to: 'A' }),
      call('b', 'echo', { text: 'two', to: 'B' }),
    ]);
  });

  it('takes what comes for a call that was not said to go on, and all its arguments at once', () => {
    const piece = (more: object) => say([{ functionCall: { id: 'a', name: 'echo', ...more } }]);
    const chunks = [
      piece({ partialArgs: [{ jsonPath: '$.text', stringValue: 'he' }] }),
      piece({ partialArgs: [{ jsonPath: '$.text', stringValue: 'y' }] }),
    ];
    const more = piece({ partialArgs: [{ jsonPath: '$.to', stringValue: 'all' }], willContinue: true });
    const nothing = say([{ functionCall: {} }]);
    const whole = piece({ args: { text: 'hey you' } });
    const next = piece({ willContinue: true });

    expect(read([sse(...chunks, say([], stop))]).message.content).toEqual([call('a', 'echo', { text: 'hey' })]);
    expect(read([sse(...chunks, nothing, more, nothing, say([], stop))]).message.content).toEqual([
      call('a', 'echo', { text: 'hey', to: 'all' }),
    ]);
    expect(read([sse(...chunks, whole, next, nothing, say([], stop))]).message.content).toEqual([
      call('a', 'echo', { text: 'hey you' }),
      call(anyId, 'echo', {}),
    ]);
  });

  it.each([['STOP'], ['MAX_TOKENS'], ['OTHER']])(
    'keeps a call as text, which no schema accepts, when %s comes while more of it is to come',
    (finishReason) => {
      const start = { functionCall: { name: 'remove', willContinue: true } };
      const half = { partialArgs: [{ jsonPath: '$.path', stringValue: '/tmp/', willContinue: true }] };
      const inputOf = (...parts: readonly object[]) => {
        const [block] = read([sse(say(parts), say([], { finishReason }))]).message.content;
        return block?.type === 'tool_use' && block.input;
      };

      expect(inputOf(start)).toBe('{}');
      expect(inputOf(start, { functionCall: { ...half, willContinue: true } })).toBe('{"path":"/tmp/"}');
      expect(inputOf(start, { functionCall: half })).toBe('{"path":"/tmp/"}');
      expect(inputOf(start, { functionCall: half }, { functionCall: {} })).toEqual({ path: '/tmp/' });
    },
  );

  it('keeps a call as text that [DONE] or the end leaves open', () => {
    const start = { functionCall: { name: 'now', willContinue: true } };
    const open = say([start]);

    expect(read([Buffer.concat([sse(open), Buffer.from('data: [DONE]\n\n')])]).message.content).toEqual([
      call(anyId, 'now', '{}'),
    ]);
    expect(read([sse(say([start], stop))]).message.content).toEqual([call(anyId, 'now', '{}')]);
    expect(() => read([sse(open)])).toThrowError(expect.objectContaining({ retryable: true }));
  });

  it('has an error to be retried where the service gave up by itself', () => {
    const error = { code: 499, message: 'The operation was cancelled.', status: 'CANCELLED' };

    expect(() => read([sse({ error })])).toThrowError(
      expect.objectContaining({ retryable: true, details: expect.objectContaining({ type: 'CANCELLED' }) }),
    );
    expect(() => read([sse({ error: { ...error, code: 400, status: 'INVALID_ARGUMENT' } })])).toThrowError(
      expect.objectContaining({ retryable: false }),
    );
  });

  it('keeps streamed arguments that cannot be placed as text, which no schema accepts', () => {
    const partialArgs = [
      { jsonPath: '$.a', stringValue: 'x' },
      { jsonPath: '$.a.b', numberValue: 1 },
    ];
    const { message } = read([sse(say([{ functionCall: { name: 'f', partialArgs } }], stop))]);

    expect(message.content).toEqual([call(anyId, 'f', '{"a":"x"}')]);
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
      expect(facts(message)).toEqual({ content, usage, stopReason });
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

describe('the final tool', () => {
  const echo: Tool = {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: objectSchema({}),
    kind: 'readonly',
    effect: 'pure',
    parallelSafe: true,
    streaming: false,
    async *execute() {
      return { output: '', isError: false };
    },
  };
  const finalReader = (outputFormat: NonNullable<ModelRequest['outputFormat']>, model: string) =>
    new GeminiReplyReader({
      model,
      request: { ...request, tools: [echo], outputFormat },
      context: { provider: 'gemini', apiKey: 'k' },
    });
  const object = { name: 'answer', schema: { type: 'object' }, strict: true } as const;
  const finished = (reply: GeminiReplyReader, bytes: Uint8Array) => {
    const events = [...reply.push(new TextDecoder().decode(bytes)), ...reply.end()];
    return { events, message: reply.message() };
  };

  it('becomes text, with its signature', () => {
    const { events, message } = finished(finalReader(object, 'gemini-2.5-flash'), wire('final-tool'));

    expect(events).toEqual([{ type: 'content', delta: '{"answer":42}' }]);
    expect(facts(message)).toEqual({ content: [text('{"answer":42}', signed(first))], usage, stopReason: 'end' });
  });

  it('is unwrapped when the answer is no object, and leaves other calls to be run', () => {
    const list = { ...object, schema: { type: 'array', items: { type: 'number' } } } as const;
    const calls = [{ functionCall: { name: 'answer', args: { value: [1, 2] } } }, { functionCall: { name: 'echo' } }];
    const { message } = finished(finalReader(list, 'gemini-2.5-flash'), sse(say(calls, stop)));

    expect(message.content).toEqual([text('[1,2]'), call(anyId, 'echo', {})]);
    expect(message.stopReason).toBe('tool_use');
  });

  it('is the answer, and the words before it are thinking', () => {
    const parts = [{ text: 'Here: ' }, { functionCall: { name: 'answer', args: { n: 1 } } }];
    const { events, message } = finished(finalReader(object, 'gemini-2.5-flash'), sse(say(parts, stop)));

    expect(events).toEqual([
      { type: 'thinking', delta: 'Here: ' },
      { type: 'content', delta: '{"n":1}' },
    ]);
    expect(message.content).toEqual([{ type: 'thinking', text: 'Here: ' }, text('{"n":1}')]);
  });

  it('may come in pieces, or not at all', () => {
    const piece = (more: object) => say([{ functionCall: { name: 'answer', ...more } }]);
    const pieces = [
      piece({ willContinue: true }),
      piece({ partialArgs: [{ jsonPath: '$.n', numberValue: 1 }], willContinue: true }),
      say([{ functionCall: {} }], stop),
    ];
    const streamed = finished(finalReader(object, 'gemini-2.5-flash'), sse(...pieces));
    const plain = finished(finalReader(object, 'gemini-2.5-flash'), sse(say([{ text: 'No.' }], stop)));

    expect(streamed.message.content).toEqual([text('{"n":1}')]);
    expect(streamed.events).toEqual([{ type: 'content', delta: '{"n":1}' }]);
    expect(plain.events).toEqual([{ type: 'content', delta: 'No.' }]);
  });

  it('is no answer as long as more of it is to come, unless the limit has ended it', () => {
    const start = { functionCall: { name: 'answer', willContinue: true } };
    const half = { functionCall: { partialArgs: [{ jsonPath: '$.text', stringValue: 'On' }], willContinue: true } };
    const lost = { functionCall: { name: 'answer', partialArgs: [{ jsonPath: 'nowhere', stringValue: 'On' }] } };
    const reply = (parts: object[], ending: object) =>
      finished(finalReader(object, 'gemini-2.5-flash'), sse(say(parts, ending)));

    for (const parts of [[start, half], [lost]]) {
      expect(() => reply(parts, stop)).toThrowError(expect.objectContaining({ retryable: true }));
    }
    expect(reply([start, half], { finishReason: 'MAX_TOKENS' }).message).toMatchObject({
      content: [text('{"text":"On"}')],
      stopReason: 'length',
    });
  });

  it('is a call like others where the service has a mode of its own', () => {
    const { message } = finished(finalReader(object, 'gemini-3-pro-preview'), wire('final-tool'));

    expect(message.stopReason).toBe('tool_use');
  });
});
