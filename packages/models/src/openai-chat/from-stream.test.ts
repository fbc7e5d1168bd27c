import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type ModelRequest, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ChatReplyReader } from './from-stream.ts';

const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
const reader = () =>
  new ChatReplyReader({ model: 'm', request, context: { provider: 'openai-compatible', apiKey: 'k-4711' } });
const wire = (name: string) => readFileSync(new URL(`../../test/wire/openai-chat/${name}.sse`, import.meta.url));

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

const greeting = { type: 'text', text: 'Hello, w\u00f6rld \u{1F30D}!' };
const usage = { inputTokens: 120, outputTokens: 34, totalTokens: 154, cacheReadTokens: 64, reasoningTokens: 8 };
const echo = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'echo', input });
const anyId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
const one = echo('call_a1', { text: 'one' });
const two = echo('call_b2', { text: 'two' });
const hi = echo('call_a1', { text: 'hi' });
const hiI = echo('call_a1', { text: 'h\u00ef' });

const table: readonly [name: string, content: readonly object[], stopReason: AssistantMessage['stopReason']][] = [
  ['text', [greeting], 'end'],
  ['text-crlf', [greeting], 'end'],
  ['text-cr', [greeting], 'end'],
  ['text-without-done', [greeting], 'end'],
  ['first-chunk-without-choices', [greeting], 'end'],
  ['multi-line-data', [greeting], 'end'],
  ['call', [hiI], 'tool_use'],
  ['call-with-text', [{ type: 'text', text: 'Let me see.' }, hiI], 'tool_use'],
  ['parallel-calls', [one, two], 'tool_use'],
  ['calls-without-index', [one, two], 'tool_use'],
  ['calls-with-one-index', [one, two], 'tool_use'],
  ['calls-without-index-and-id', [echo(anyId, { text: 'one' }), echo(anyId, { text: 'two' })], 'tool_use'],
  ['call-with-repeated-id', [hi], 'tool_use'],
  ['call-with-late-id', [hi], 'tool_use'],
  ['call-in-one-piece', [hi], 'tool_use'],
  ['call-with-object-arguments', [hi], 'tool_use'],
  ['call-without-arguments', [{ type: 'tool_use', id: 'call_a1', name: 'now', input: {} }], 'tool_use'],
  ['call-finished-by-stop', [hiI], 'tool_use'],
  ['call-with-bad-json', [echo('call_a1', '{"text": hi}')], 'tool_use'],
  ['length', [{ type: 'text', text: 'Once upon' }], 'length'],
  ['length-in-call', [echo('call_a1', '{"text":"h\\u00ef"')], 'length'],
  ['length-before-arguments', [echo('call_a1', '')], 'length'],
  ['refusal', [{ type: 'text', text: 'I cannot help with that.' }], 'refusal'],
  ['content-filter', [{ type: 'text', text: 'Well' }], 'refusal'],
  [
    'reasoning',
    [
      { type: 'thinking', text: 'First, think.' },
      { type: 'text', text: 'Then speak.' },
    ],
    'end',
  ],
];

describe('ChatReplyReader', () => {
  it.each(table)('reads %s', (name, content, stopReason) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage, stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'openai-compatible', model: 'm' });
  });

  it.each(table.flatMap(([name]) => [1, 7].map((size) => [name, size] as const)))(
    'reads %s in pieces of %i',
    (name, size) => {
      const bytes = wire(name);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const [whole, cut] = [read([bytes]), read(pieces)];

      const generated = name === 'calls-without-index-and-id';
      expect(generated ? cut.message.content.length : facts(cut.message)).toEqual(generated ? 2 : facts(whole.message));
    },
  );

  it('makes one event of the text that came together, in order with the thinking', () => {
    const { events } = read([wire('reasoning-interleaved')]);

    expect(events).toEqual([
      { type: 'thinking', delta: 'Hm.' },
      { type: 'content', delta: 'A' },
      { type: 'thinking', delta: 'Hm again.' },
      { type: 'content', delta: 'B' },
    ]);
    expect(read([wire('text')]).events).toEqual([{ type: 'content', delta: greeting.text }]);
  });

  it('takes [DONE] for an end, and estimates what was not reported', () => {
    expect(read([wire('text-without-finish')]).message).toMatchObject({ stopReason: 'end', content: [greeting] });
    expect(read([wire('text-without-usage')]).message.usage).toEqual({
      inputTokens: 6,
      outputTokens: 4,
      totalTokens: 10,
      estimated: true,
    });
  });

  it.each([
    ['text-cut', true, 502],
    ['error-in-stream', true, 500],
    ['error-event', false, 400],
    ['malformed', true, 502],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    expect(() => read([wire(name)])).toThrowError(
      expect.objectContaining({ code: 'MODEL_ERROR', retryable, statusCode }),
    );
  });

  it('reads nothing after [DONE]', () => {
    const { message } = read([Buffer.concat([wire('text'), wire('error-in-stream')])]);

    expect(message.content).toEqual([greeting]);
  });

  it('survives chunks of any shape', () => {
    const odd = ['null', '7', '[]', '{}', '{"choices":null}', '{"choices":[{}]}', '{"choices":[{"delta":null}]}'];
    const more = ['{"choices":[{"delta":{"content":7,"tool_calls":[null]}}]}', '{"usage":{"prompt_tokens":"7"}}'];
    const text = [...odd, ...more].map((data) => `data: ${data}\n\n`).join('');

    expect(read([Buffer.from(text), wire('text')]).message.content).toEqual([greeting]);
  });

  const names = table.map(([name]) => name).filter((name) => name !== 'calls-without-index-and-id');
  test.prop([fc.constantFrom(...names), fc.array(fc.nat({ max: 4000 }), { maxLength: 12 })])(
    'reads the same message wherever the bytes are split, and its deltas add up to it',
    (name, cuts) => {
      const bytes = wire(name);
      const ends = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
      const { events, message } = read(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)));

      expect(facts(message)).toEqual(facts(read([bytes]).message));
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
