import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, toolUsesOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import { facts, read, readText, wire } from '../../test/replies/openai-responses.ts';
import { inputItems } from './input-items.ts';

function streamed(events: readonly { type: string; delta?: string }[], type: string): string {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
}
function joined({ content }: AssistantMessage, type: 'text' | 'thinking'): string {
  return content.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
}

const usage = { inputTokens: 120, outputTokens: 34, totalTokens: 154, cacheReadTokens: 64, reasoningTokens: 8 };
const text = (said: string) => ({ type: 'text', text: said });
const thinking = (said: string) => ({ type: 'thinking', text: said });
const echo = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'echo', input });
const greeting = text('Hello, w\u00f6rld \u{1F30D}!');
const one = echo('call_a1', { text: 'one' });
const two = echo('call_b2', { text: 'two' });
const hi = echo('call_a1', { text: 'h\u00ef' });
const upon = text('Once upon');
const action = { type: 'search', query: 'weather in Oslo', queries: ['weather in Oslo'] };
const searched = { ...thinking(''), serviceTool: { name: 'web_search', id: 'ws_68d1', state: 'done', input: action } };

/** Streams with a tool of the service. */
const TOOLS: Readonly<Record<string, string>> = { 'web-search': 'web_search', image: 'image_generation' };
const usageOf = (name: string) => {
  const tool = TOOLS[name];
  return tool === undefined ? usage : { ...usage, serviceToolUses: { [tool]: 1 } };
};

const table: readonly [name: string, content: readonly object[], stopReason: AssistantMessage['stopReason']][] = [
  ['text', [greeting], 'end'],
  ['text-crlf', [greeting], 'end'],
  ['structured', [text('{"city":"Oslo"}')], 'end'],
  ['reasoning', [thinking('**Greeting**\n\nBe kind.'), thinking('**Words**\n\nBe short.'), greeting], 'end'],
  ['reasoning-with-call', [thinking(''), hi], 'tool_use'],
  ['reasoning-text-and-calls', [thinking('Look twice.'), text('Let me see.'), one, two], 'tool_use'],
  ['reasoning-in-plain-text', [thinking('First, think.'), text('Then speak.')], 'end'],
  ['call', [hi], 'tool_use'],
  ['call-with-spaced-arguments', [echo('call_a1', { text: 'h\u00ef', 10: 1, 2: 1.5 })], 'tool_use'],
  ['call-without-arguments', [{ type: 'tool_use', id: 'call_a1', name: 'now', input: {} }], 'tool_use'],
  ['parallel-calls', [one, two], 'tool_use'],
  ['refusal', [text('I cannot help with that.')], 'refusal'],
  ['length', [upon], 'length'],
  ['length-said-by-completed', [upon], 'length'],
  ['length-in-call', [echo('call_a1', '{"text":"h\u00ef"')], 'length'],
  ['length-before-arguments', [echo('call_a1', '')], 'length'],
  ['length-in-reasoning', [thinking('So much to say')], 'length'],
  ['content-filter', [text('Well')], 'refusal'],
  [
    'web-search',
    [searched, { ...text('It is sunny.'), sources: [{ url: 'https://weather.example/oslo', title: 'Oslo' }] }],
    'end',
  ],
  [
    'image',
    [
      { ...thinking(''), serviceTool: { name: 'image_generation', id: 'ig_68af', state: 'done', input: 'A red cat.' } },
      { type: 'image', mediaType: 'image/png', data: 'aGk=' },
      text('Here it is.'),
    ],
    'end',
  ],
  ['only-completed', [thinking('Think.'), greeting, hi], 'tool_use'],
  ['text-without-output', [greeting], 'end'],
  ['all-without-output', [thinking('Think.'), greeting, hi], 'tool_use'],
  ['text-only-in-done', [greeting], 'end'],
  ['text-without-names', [greeting], 'end'],
  ['calls-only-in-done', [hi, two], 'tool_use'],
  ['call-without-item-done', [hi], 'tool_use'],
  ['ids-that-change', [thinking('Think.'), greeting, hi], 'tool_use'],
  ['call-ids-that-change', [hi], 'tool_use'],
  ['items-without-index', [thinking('First, think.'), text('Let me see.'), one, two], 'tool_use'],
  ['shell-of-the-service', [thinking(''), thinking(''), text('There is one.')], 'end'],
  ['events-twice', [greeting, hi], 'tool_use'],
  ['one-index-for-all', [text('hahaha'), one, two], 'tool_use'],
  ['unknown-events', [greeting], 'end'],
  ['items-unannounced', [thinking('First, think.'), greeting, hi], 'tool_use'],
  ['reasoning-of-open-weights', [thinking('First, think.'), text('Then speak.'), hi], 'tool_use'],
];

describe('ResponsesReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { events, message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage: usageOf(name), stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'openai-compatible', model: 'gpt-5-mini' });
    expect(streamed(events, 'content')).toBe(joined(message, 'text'));
    expect(streamed(events, 'thinking')).toBe(joined(message, 'thinking'));
  });

  it.each(table.flatMap(([name]) => [1, 7].map((size) => [name, size] as const)))(
    'reads %s in pieces of %i',
    (name, size) => {
      const bytes = wire(name);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );

      expect(facts(read(pieces).message)).toEqual(facts(read([bytes]).message));
    },
  );

  test.prop([
    fc.constantFrom(...table.map(([name]) => name)),
    fc.array(fc.nat({ max: 9000 }), { maxLength: 100, size: 'max' }),
  ])('reads the same message wherever the bytes are split, and its deltas add up to it', (name, cuts) => {
    const bytes = wire(name);
    const ends = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
    const { events, message } = read(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)));

    expect(message.content).toEqual(read([bytes]).message.content);
    expect(streamed(events, 'content')).toBe(joined(message, 'text'));
    expect(streamed(events, 'thinking')).toBe(joined(message, 'thinking'));
  });

  it('makes one event of the text that came together, in order with the thinking', () => {
    expect(read([wire('reasoning')]).events).toEqual([
      { type: 'thinking', delta: '**Greeting**\n\nBe kind.**Words**\n\nBe short.' },
      { type: 'content', delta: greeting.text },
    ]);
  });

  it('reports tokens read from and written to the cache', () => {
    expect(read([wire('cache-usage')]).message.usage).toEqual({
      inputTokens: 2048,
      outputTokens: 5,
      totalTokens: 2053,
      cacheReadTokens: 1024,
      cacheWriteTokens: 512,
      reasoningTokens: 0,
    });
  });

  it('takes [DONE] for an end when all that was begun is there, and estimates what was not reported', () => {
    const { message } = read([wire('text-ended-by-sentinel')]);

    expect(message).toMatchObject({ stopReason: 'end', usage: { estimated: true, totalTokens: 10 } });
    expect(joined(message, 'text')).toBe(greeting.text);
  });

  it.each([-1, 0, 7])('takes equal pieces for what they are where every event has the number %i', (number) => {
    const event = (type: string, more: object) => {
      return `data: ${JSON.stringify({ type: `response.${type}`, sequence_number: number, ...more })}\n\n`;
    };
    const ha = event('output_text.delta', { output_index: 0, content_index: 0, delta: 'ha' });
    const added = event('output_item.added', { output_index: 0, item: { type: 'message', content: [] } });
    const { events, message } = readText(added + ha.repeat(3) + event('completed', { response: { output: [] } }));

    expect(joined(message, 'text')).toBe('hahaha');
    expect(streamed(events, 'content')).toBe('hahaha');
  });

  it('makes items that the service takes back of what was never announced or ended', () => {
    const { message } = read([wire('items-unannounced')]);

    expect(inputItems(message, 'gpt-5-mini')).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', annotations: [], text: greeting.text }] },
      { type: 'function_call', call_id: 'call_a1', name: 'echo', arguments: '{"text":"h\u00ef"}' },
    ]);
  });

  it('reads nothing after the last event', () => {
    const { message } = read([Buffer.concat([wire('text'), wire('failed')])]);

    expect(facts(message).content).toEqual([greeting]);
  });

  it('survives events of any shape', () => {
    const odd = ['null', '7', '[]', '{}', '{"type":null}', '{"type":"response.created"}', '{"type":"response.queued"}'];
    const deltas = ['output_text', 'refusal', 'reasoning_text', 'function_call_arguments', 'reasoning_summary_text'];
    const items = [
      'null',
      '7',
      '[]',
      '{}',
      '{"type":7,"id":7}',
      '{"type":"message","content":7}',
      '{"type":"message"}',
    ];
    const events = [
      ...odd,
      ...deltas.map((name) => `{"type":"response.${name}.delta"}`),
      ...deltas.map((name) => `{"type":"response.${name}.done","text":7,"arguments":7}`),
      ...deltas.map((name) => `{"type":"response.${name}.delta","delta":{"a":1},"output_index":"x"}`),
      ...items.map((item) => `{"type":"response.output_item.added","item":${item}}`),
      ...items.map((item) => `{"type":"response.output_item.done","item":${item}}`),
      ...items.map((part) => `{"type":"response.content_part.done","part":${part}}`),
    ];

    const { message } = readText(
      `${events.map((data) => `data: ${data}\n\n`).join('')}${wire('text').toString('utf8')}`,
    );

    expect(joined(message, 'text')).toBe(greeting.text);
  });

  it.each([
    ['{"type":"response.completed"}', []],
    ['{"type":"response.completed","response":null}', []],
    ['{"type":"response.completed","response":{"output":[null,7,{"type":"message"}],"usage":null}}', [thinking('')]],
    ['{"type":"response.done","response":{"output":[{"type":"function_call","name":"now"}]}}', ['call']],
  ])('takes %s for an end', (data, content) => {
    const { message } = readText(`data: ${data}\n\n`);

    expect(message.usage.estimated).toBe(true);
    expect(message.content.length).toBe(content.length);
  });

  it('makes an id for a call that has none, and keeps it in what goes back', () => {
    const call = '{"type":"function_call","name":"now","arguments":{"zone":"utc"}}';
    const { message } = readText(`data: {"type":"response.completed","response":{"output":[${call}]}}\n\n`);

    const [use] = toolUsesOf(message);
    expect(use).toMatchObject({ id: expect.stringMatching(/^call_[0-9a-f]{32}$/), input: { zone: 'utc' } });
    expect(use?.providerData?.data).toMatchObject({ item: { call_id: use?.id } });
  });

  it('keeps what was streamed where the last event says less, and the last event where it says more', () => {
    const added =
      '{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m1","content":[]}}';
    const delta =
      '{"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"m1","delta":"Hel"}';
    const endingWith = (parts: string) => {
      const item = `{"type":"message","id":"m1","role":"assistant","content":[${parts}]}`;
      const end = `{"type":"response.completed","response":{"output":[${item}]}}`;
      return readText([added, delta, end].map((data) => `data: ${data}\n\n`).join(''));
    };

    expect(joined(endingWith('').message, 'text')).toBe('Hel');
    const { events, message } = endingWith('{"type":"output_text","text":"Hello"}');
    expect(joined(message, 'text')).toBe('Hello');
    expect(streamed(events, 'content')).toBe('Hello');
  });
});
