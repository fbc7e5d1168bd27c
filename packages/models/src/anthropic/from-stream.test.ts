import { readdirSync, readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { AnthropicReplyReader } from './from-stream.ts';

const folder = new URL('../../test/wire/anthropic/', import.meta.url);
const wire = (name: string) => readFileSync(new URL(`${name}.sse`, folder));
const names = readdirSync(folder).map((file) => file.replace('.sse', ''));
const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
const answer = { name: 'answer', schema: { type: 'object', properties: { city: { type: 'string' } } }, strict: true };

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
function read(pieces: readonly Uint8Array[], more: Partial<ModelRequest> = {}, model = 'glm-5') {
  const decoder = new TextDecoder();
  const context = { provider: 'anthropic', apiKey: 'k-4711' };
  const reply = new AnthropicReplyReader({ model, request: { ...request, ...more }, context });
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
const readText = (text: string) => read([Buffer.from(text)]);
function facts({ content, usage, stopReason }: AssistantMessage) {
  return { content, usage, stopReason };
}
function told(events: readonly { type: string; delta: string }[], type: string) {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
}
function kept(message: AssistantMessage, type: 'text' | 'thinking') {
  return message.content.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
}

const usage = {
  inputTokens: 120,
  outputTokens: 34,
  totalTokens: 154,
  cacheReadTokens: 64,
  cacheWriteTokens: 0,
  reasoningTokens: 8,
};
const data = (value: unknown) => ({ providerData: { provider: 'anthropic', data: value } });
const say = (text: string) => ({ type: 'text', text });
const thought = (text: string, signature: string) => ({ type: 'thinking', text, ...data({ signature }) });
const echo = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'echo', input });
const greeting = say('Hello, w\u00f6rld \u{1F30D}!');
const hi = echo('toolu_01A', { text: 'h\u00ef' });
const one = echo('toolu_01A', { text: 'one' });
const two = echo('toolu_01B', { text: 'two' });
const now = { type: 'tool_use', id: 'toolu_01A', name: 'now', input: {} };
const search = { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', caller: { type: 'direct' } };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_01',
  content: [
    {
      type: 'web_search_result',
      title: 'T',
      url: 'https://example.com',
      encrypted_content: 'EqgfCio=',
      page_age: null,
    },
  ],
  caller: { type: 'direct' },
};
const cited = {
  type: 'web_search_result_location',
  cited_text: 'c',
  url: 'https://example.com',
  title: 'T',
  encrypted_index: 'Eo8B',
};
const opaque = (block: object) => ({ type: 'thinking', text: '', ...data({ block }) });
const hm = thought('Hm.', 'sig==');

const table: readonly [name: string, content: readonly object[], stopReason: AssistantMessage['stopReason']][] = [
  ['text', [greeting], 'end'],
  ['text-crlf', [greeting], 'end'],
  ['thinking', [thought('First, think.', 'EqQBCgIYAhIkMWY+/zQ0=='), say('Then speak.')], 'end'],
  ['thinking-omitted', [thought('', 'EqQBhidden=='), say('Done.')], 'end'],
  [
    'redacted-thinking',
    [
      thought('Hm.', 'sig-one=='),
      opaque({ type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' }),
      say('So.'),
    ],
    'end',
  ],
  [
    'interleaved-thinking',
    [
      thought('Hm.', 'sig-one=='),
      say('A'),
      thought('Hm again.', 'sig-two=='),
      say('B'),
      echo('toolu_01', { text: 'one' }),
      echo('toolu_02', { text: 'two' }),
    ],
    'tool_use',
  ],
  ['call', [hi], 'tool_use'],
  ['call-with-text', [say('Let me see.'), hi], 'tool_use'],
  ['call-without-arguments', [now], 'tool_use'],
  ['call-with-empty-arguments', [now], 'tool_use'],
  ['parallel-calls', [one, two], 'tool_use'],
  ['text-after-call', [hi, say('I asked.')], 'tool_use'],
  ['refusal', [say('I cannot help.')], 'refusal'],
  ['length', [say('Once upon')], 'length'],
  ['window-exceeded', [say('Once upon')], 'length'],
  ['length-in-call', [say('I write.'), echo('toolu_01A', '{"text": "h\u00ef')], 'length'],
  ['length-before-arguments', [echo('toolu_01A', '')], 'length'],
  ['length-in-thinking', [{ type: 'thinking', text: 'Hm, wh' }], 'length'],
  ['stop-sequence', [say('One, two')], 'end'],
  [
    'server-tool',
    [
      say('I search.'),
      opaque({ ...search, input: { query: 'x' } }),
      opaque(found),
      { ...say('Found.'), ...data({ citations: [cited] }) },
    ],
    'end',
  ],
  ['pause-turn', [say('I search.'), opaque({ ...search, input: { query: 'x' } })], 'end'],
  ['structured', [say('{"city":"Oslo"}')], 'end'],
  // services that follow the API
  ['nameless', [hm, greeting, hi], 'tool_use'],
  ['nameless-with-done', [greeting], 'end'],
  ['without-message-stop', [greeting], 'end'],
  ['input-in-start', [hi, two], 'tool_use'],
  ['without-index', [hm, greeting, hi], 'tool_use'],
  ['index-from-one', [hm, greeting, hi], 'tool_use'],
  ['same-index', [greeting, one, two], 'tool_use'],
  ['text-in-start', [greeting], 'end'],
  ['without-block-start', [greeting], 'end'],
  ['without-block-stop', [greeting, hi], 'tool_use'],
  ['call-ended-by-end-turn', [hi], 'tool_use'],
  ['call-with-bad-json', [echo('toolu_01A', '{"text": hi}')], 'tool_use'],
  ['unsigned-thinking', [{ type: 'thinking', text: 'Hm.', ...data({}) }, hi], 'tool_use'],
];

describe('AnthropicReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage, stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'anthropic', model: 'glm-5' });
  });

  it.each(table.flatMap(([name]) => [1, 7].map((size) => [name, size] as const)))(
    'reads %s in pieces of %i',
    (name, size) => {
      const bytes = wire(name);
      const count = Math.ceil(bytes.length / size);
      const pieces = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

      expect(facts(read(pieces).message)).toEqual(facts(read([bytes]).message));
    },
  );

  it('makes one event of what came together, in order with the thinking', () => {
    expect(read([wire('interleaved-thinking')]).events).toEqual([
      { type: 'thinking', delta: 'Hm.' },
      { type: 'content', delta: 'A' },
      { type: 'thinking', delta: 'Hm again.' },
      { type: 'content', delta: 'B' },
    ]);
    expect(read([wire('text')]).events).toEqual([{ type: 'content', delta: greeting.text }]);
  });

  it('counts what was read from and written to the cache as input', () => {
    const { message } = read([wire('cache-usage')]);

    expect(message.usage).toEqual({
      inputTokens: 2305,
      outputTokens: 12,
      totalTokens: 2317,
      cacheReadTokens: 2000,
      cacheWriteTokens: 300,
    });
  });

  it('takes usage from wherever it is, and estimates what was not reported', () => {
    const late = read([wire('usage-only-at-the-end')]).message.usage;
    const none = readText(
      wire('text')
        .toString()
        .replaceAll(/"usage":\{(?:[^{}]|\{[^{}]*\})*\}/g, '"usage":null'),
    ).message.usage;

    expect(late).toEqual({ inputTokens: 7, outputTokens: 3, totalTokens: 10 });
    expect(none).toEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10, estimated: true });
  });

  it('keeps what the service says of a call that it will want back, and makes ids that are missing or not unique', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_01' };
    const text = wire('parallel-calls').toString();
    const called = text.replaceAll('{"type":"direct"}', JSON.stringify(caller)).replace('toolu_01B', 'toolu_01A');

    const [first, second] = readText(called).message.content;

    expect(first).toEqual({ ...one, ...data({ caller }) });
    expect(second).toMatchObject({ id: expect.stringMatching(/^call_[0-9a-f]{32}$/), input: { text: 'two' } });
  });

  it('keeps the summary that the service makes of a long conversation', () => {
    const text = wire('pause-turn').toString();
    const announced = text.replace('"type":"server_tool_use"', '"type":"compaction","content":null');
    const summed = announced.replaceAll(
      /\{"type":"input_json_delta","partial_json":"(?:[^"\\]|\\.)*"\}/g,
      '{"type":"compaction_delta","content":"Sum."}',
    );

    expect(readText(summed).message.content[1]).toMatchObject(data({ block: { type: 'compaction', content: 'Sum.' } }));
  });

  it('leaves out a block of the service that it could not read to its end', () => {
    const text = wire('pause-turn').toString();

    expect(readText(text.replace('\\"x\\"}', '\\"x')).message.content).toEqual([say('I search.')]);
    expect(readText(text.replaceAll('input_json_delta', 'secret_delta')).message.content).toEqual([say('I search.')]);
  });
});

describe('AnthropicReplyReader with a final tool', () => {
  const structured = wire('structured-by-tool');

  it('takes the call for the answer, and what was said before it for thinking', () => {
    const { message, events } = read([structured], { outputFormat: answer });

    expect(message.stopReason).toBe('end');
    expect(message.content).toEqual([
      thought('Which?', 'sig=='),
      { type: 'thinking', text: 'Here it is.' },
      say('{"city":"Oslo"}'),
    ]);
    expect(told(events, 'content')).toBe('{"city":"Oslo"}');
    expect(told(events, 'thinking')).toBe('Which?Here it is.');
  });

  it('unwraps an answer whose schema is not that of an object', () => {
    const text = structured
      .toString()
      .replace('"{\\"ci"', '"{\\"value\\": [1, {\\"ci"')
      .replace('"lo\\"}"', '"lo\\"}]}"');
    const outputFormat = { ...answer, schema: { type: 'array' } };

    expect(kept(read([Buffer.from(text)], { outputFormat }).message, 'text')).toBe('[1,{"city":"Oslo"}]');
  });

  it('tells the text after all where the tool was not called', () => {
    const { message, events } = read([wire('call-with-text')], { outputFormat: answer });

    expect(message).toMatchObject({ stopReason: 'tool_use', content: [say('Let me see.'), hi] });
    expect(told(events, 'content')).toBe('Let me see.');
  });

  it('leaves the other calls of the reply to be made', () => {
    const text = wire('parallel-calls').toString().replace('"name":"echo"', '"name":"answer"');
    const { message } = read([Buffer.from(text)], { outputFormat: answer });

    expect(message).toMatchObject({ stopReason: 'tool_use', content: [say('{"text":"one"}'), two] });
  });

  it('shows an answer that was cut as it is', () => {
    const text = wire('length-in-call').toString().replace('"name":"echo"', '"name":"answer"');
    const { message } = read([Buffer.from(text)], { outputFormat: answer });

    expect(message.stopReason).toBe('length');
    expect(kept(message, 'text')).toBe('{"text": "h\u00ef');
  });

  it('is not used by a model that has a mode of its own', () => {
    const { message } = read([structured], { outputFormat: answer }, 'claude-opus-5-5');

    expect(message).toMatchObject({ stopReason: 'tool_use', content: [{}, say('Here it is.'), { name: 'answer' }] });
  });
});

describe('AnthropicReplyReader on streams that are not in order', () => {
  const event = (value: object) => `event: ${(value as { type: string }).type}\ndata: ${JSON.stringify(value)}\n\n`;
  const delta = (index: number, piece: object) => event({ type: 'content_block_delta', index, delta: piece });
  const [start = ''] = wire('text').toString().split('\n\n');
  const begun = `${start}\n\n`;

  it.each([
    ['text-cut', true, 502],
    ['error-event', true, 529],
    ['malformed', true, 502],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    expect(() => read([wire(name)])).toThrowError(
      expect.objectContaining({ code: 'MODEL_ERROR', retryable, statusCode }),
    );
  });

  it('keeps the id of the request that failed', () => {
    expect(() => read([wire('error-event')])).toThrowError(
      expect.objectContaining({ requestId: 'req_01', message: expect.stringContaining('Overloaded') }),
    );
  });

  it.each([
    ['event: error\ndata: gateway down\n\n', 'gateway down'],
    ['event: error\ndata: "gateway down"\n\n', 'gateway down'],
    ['data: {"type":"error","error":{"type":"api_error","message":"gateway down"}}\n\n', 'gateway down'],
    ['data: {"error":{"message":"gateway down","code":500}}\n\n', 'gateway down'],
    ['data: {"error":"gateway down"}\n\n', 'gateway down'],
    ['event: error\ndata: {"message":"gateway down"}\n\n', 'gateway down'],
  ])('reads the error in %j', (text, message) => {
    const failure = expect.objectContaining({ code: 'MODEL_ERROR', message: expect.stringContaining(message) });

    expect(() => readText(begun + text)).toThrowError(failure);
    expect(() => readText(text)).toThrowError(failure);
  });

  it('does not take a reply for whole that was given up', () => {
    const failure = expect.objectContaining({ code: 'MODEL_ERROR', retryable: true });
    const spoken = delta(0, { type: 'text_delta', text: 'Hello, I' });

    expect(() => readText(`${begun}${spoken}data: [DONE]\n\n`)).toThrowError(failure);
    expect(() => readText(begun.replace('"stop_reason":null', '"stop_reason":"end_turn"') + spoken)).toThrowError(
      failure,
    );
  });

  it('takes a call without input for one as soon as the reply has ended by itself, and never before', () => {
    const called = event({ type: 'content_block_start', index: 0, content_block: now });
    const ending = (reason: string) => event({ type: 'message_delta', delta: { stop_reason: reason } });

    expect(readText(begun + called + event({ type: 'message_stop' })).message.content).toEqual([now]);
    expect(readText(begun + called + ending('tool_use')).message.content).toEqual([now]);
    expect(readText(begun + called + ending('max_tokens')).message.content).toEqual([{ ...now, input: '' }]);
    expect(() => readText(begun + called)).toThrowError(expect.objectContaining({ retryable: true }));
  });

  it.each([1, 7, 1_000])('reads an error that is no event, in pieces of %i bytes', (size) => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const body = JSON.stringify({ type: 'error', error, request_id: 'req_01' }, undefined, 2);
    const failure = { statusCode: 529, requestId: 'req_01', details: { type: 'overloaded_error' } };

    for (const text of [body, `${begun}${body}\n`]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        Buffer.from(text.slice(at * size, (at + 1) * size)),
      );
      expect(() => read(pieces)).toThrowError(expect.objectContaining(failure));
    }
    expect(readText(wire('text').toString() + body).message.content).toEqual([greeting]);
  });

  it('fails at a second message within the first, and at arguments of no call', () => {
    const failure = expect.objectContaining({ code: 'MODEL_ERROR', retryable: true });
    const json = delta(0, { type: 'input_json_delta', partial_json: '{}' });

    expect(() => readText(begun + delta(0, { type: 'text_delta', text: 'a' }) + wire('text'))).toThrowError(failure);
    expect(() => readText(begun + json + wire('text'))).toThrowError(failure);
  });

  it.each([
    ['what comes before the start', delta(0, { type: 'text_delta', text: 'lost' }) + wire('text')],
    ['a start that is said twice', begun + wire('text')],
    ['what comes after the end', wire('text').toString() + wire('error-event')],
    [
      'lines of others',
      `data: keep-alive\n\n${wire('text').toString().replace('event: ping', 'data: keep-alive\n\nevent: ping')}`,
    ],
    [
      'a piece for a block that was not announced',
      wire('text')
        .toString()
        .replace('event: ping', `${delta(7, { type: 'text_delta', text: 'lost' })}event: ping`),
    ],
    [
      'a piece of another kind',
      wire('text')
        .toString()
        .replace('event: ping', `${delta(0, { type: 'thinking_delta', thinking: 'lost' })}event: ping`),
    ],
    [
      'events and pieces of kinds to come',
      wire('text')
        .toString()
        .replace('event: ping', `${event({ type: 'weather' })}${delta(0, { type: 'mood_delta', mood: 1 })}event: ping`),
    ],
  ])('passes over %s', (_what, text) => {
    expect(readText(text).message.content).toEqual([greeting]);
  });

  it('survives events of any shape', () => {
    const odd = [
      'null',
      '7',
      '[]',
      '{}',
      '""',
      '{"type":7}',
      '{"type":"content_block_delta"}',
      '{"type":"message_delta"}',
    ];
    const more = [
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}',
      '{"type":"content_block_stop"}',
    ];
    const text = [...odd, ...more].map((line) => `event: x\ndata: ${line}\n\n`).join('');

    expect(readText(begun + text + wire('text')).message.content).toEqual([greeting]);
  });

  it('keeps blocks that the start brings, and says nothing of blocks without a type', () => {
    const text =
      begun.replace('"content":[]', '"content":[{"type":"text","text":"A"},{}]') + event({ type: 'message_stop' });

    expect(readText(text)).toMatchObject({
      events: [{ delta: 'A' }],
      message: { content: [say('A')], stopReason: 'end' },
    });
  });

  it('takes the first stop reason that is one, and the counts that are counts', () => {
    const more = event({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: null } });
    const text = wire('length').toString().replace('event: message_stop', `${more}event: message_stop`);

    expect(facts(readText(text).message)).toMatchObject({ stopReason: 'length', usage });
  });
});

describe('AnthropicReplyReader, wherever the bytes end', () => {
  it.each(['thinking', 'interleaved-thinking', 'server-tool', 'length-in-call', 'nameless'])(
    'reads all of %s, or fails to be tried again',
    (name) => {
      const bytes = wire(name);
      const whole = facts(read([bytes]).message);
      const ends = Array.from({ length: bytes.length }, (_, end) => end);
      const failure = expect.objectContaining({ code: 'MODEL_ERROR', retryable: true });
      const outcomes = ends.map((end) => {
        try {
          return facts(read([bytes.subarray(0, end)]).message);
        } catch (error) {
          return error;
        }
      });

      const failures = outcomes.filter((outcome) => outcome instanceof Error);
      const others = outcomes.filter((outcome) => !(outcome instanceof Error));
      expect(failures).toEqual(failures.map(() => failure));
      expect(others).toEqual(others.map(() => whole));
      expect(failures.length).toBeGreaterThan(others.length);
    },
  );
});

describe('AnthropicReplyReader, however the bytes are split', () => {
  const readable = names.filter((name) => !['text-cut', 'error-event', 'malformed'].includes(name));

  test.prop([
    fc.constantFrom(...readable),
    fc.array(fc.nat({ max: 9000 }), { maxLength: 100, size: 'max' }),
    fc.constantFrom({}, { outputFormat: answer }),
  ])('reads the same message, and its deltas add up to it', (name, cuts, more) => {
    const bytes = wire(name);
    const ends = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
    const { events, message } = read(
      ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)),
      more,
    );

    expect(facts(message)).toEqual(facts(read([bytes], more).message));
    expect(told(events, 'content')).toBe(kept(message, 'text'));
    expect(told(events, 'thinking')).toBe(kept(message, 'thinking'));
  });
});
