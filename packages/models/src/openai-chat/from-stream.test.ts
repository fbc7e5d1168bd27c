import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, isAgentError, type ModelRequest, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ChatReplyReader } from './from-stream.ts';

const request: ModelRequest = {
  instruction: 'Be brief.',
  messages: [userMessage('Hello there')],
  tools: [],
  signal: new AbortController().signal,
};
const reader = () =>
  new ChatReplyReader({ model: 'm', request, context: { provider: 'openai-compatible', apiKey: 'key-4711' } });
const file = (name: string) => readFileSync(new URL(`../../test/wire/openai-chat/${name}`, import.meta.url));
const wire = (name: string) => file(`${name}.sse`);

/** What a stream says. */
type Facts = Pick<AssistantMessage, 'content' | 'usage' | 'stopReason'>;
/** Of each stream that is a reply; ids that are made up here are `<generated>`. */
const replies = JSON.parse(file('replies.json').toString()) as readonly (Facts & { readonly name: string })[];
const names = replies.map(({ name }) => name);
const greeting = { type: 'text', text: 'Hello, w\u00f6rld \u{1F30D}!' };

/** Reads the bytes in these pieces; a decoder keeps what is cut inside a character. */
function read(pieces: readonly Uint8Array[]) {
  const decoder = new TextDecoder();
  const reply = reader();
  const events = pieces.flatMap((piece) => reply.push(decoder.decode(piece, { stream: true })));
  return { events: [...events, ...reply.end()], message: reply.message() };
}
function facts({ content, usage, stopReason }: AssistantMessage): Facts {
  const isMadeUp = (id: string) => /^call_[0-9a-f]{32}$/.test(id);
  const named = content.map((block) =>
    block.type === 'tool_use' && isMadeUp(block.id) ? { ...block, id: '<generated>' } : block,
  );
  return { content: named, usage, stopReason };
}
function ended(finishReason: string): string {
  return `data: {"choices":[{"index":0,"delta":{},"finish_reason":${JSON.stringify(finishReason)}}]}\n\ndata: [DONE]\n\n`;
}
/** What a reading gives, or the code of its error, which has to be retryable. */
function outcomeOf<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (isAgentError(error) && error.retryable) return error.code;
    throw error;
  }
}

describe('ChatReplyReader', () => {
  it.each(replies)('reads $name', ({ name, content, usage, stopReason }) => {
    const { message } = read([wire(name)]);

    expect(facts(message)).toEqual({ content, usage, stopReason });
    expect(message).toMatchObject({ role: 'assistant', provider: 'openai-compatible', model: 'm' });
  });

  it.each(names.flatMap((name) => [1, 7].map((size) => [name, size] as const)))(
    'reads %s in pieces of %i',
    (name, size) => {
      const bytes = wire(name);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );

      expect(facts(read(pieces).message)).toEqual(facts(read([bytes]).message));
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
    ['has no arguments', { name: 'echo', arguments: '' }],
    ['has half of its arguments', { name: 'echo', arguments: '{"path":"/tmp/' }],
    ['has what may be half a number', { name: 'echo', arguments: '12' }],
  ])('takes [DONE] for a cut where no finish was named and a call %s', (_, called) => {
    const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
    const whole = { index: 0, id: 'a', function: { name: 'echo', arguments: '{}' } };
    const calls = chunk({ tool_calls: [whole, { index: 1, id: 'b', function: called }] });
    const cut = expect.objectContaining({ code: 'STREAM_CUT', retryable: true });

    expect(() => read([Buffer.from(`${calls}data: [DONE]\n\n`)])).toThrowError(cut);
    expect(() => read([Buffer.from(`${chunk({ function_call: called })}data: [DONE]\n\n`)])).toThrowError(cut);
    expect(read([Buffer.from(calls + ended('tool_calls'))]).message.stopReason).toBe('tool_use');
  });

  it('takes calls for whole at [DONE] where no finish was named, when their arguments are', () => {
    const call = { index: 0, id: 'a', function: { name: 'echo', arguments: '{"text":"hi"}' } };
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });

    expect(read([Buffer.from(`data: ${chunk}\n\ndata: [DONE]\n\n`)]).message).toMatchObject({
      content: [{ type: 'tool_use', input: { text: 'hi' } }],
      stopReason: 'tool_use',
    });
  });

  it('does not take a call in plain text for whole where no finish was named', () => {
    const call = { index: 0, id: 'a', type: 'custom', custom: { name: 'echo', input: 'ls' } };
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });

    expect(() => read([Buffer.from(`data: ${chunk}\n\ndata: [DONE]\n\n`)])).toThrowError(
      expect.objectContaining({ retryable: true }),
    );
    expect(read([Buffer.from(`data: ${chunk}\n\n${ended('tool_calls')}`)]).message.stopReason).toBe('tool_use');
  });

  it.each(['stop', 'tool_calls', 'error', null])(
    'takes an error in a choice for one beside the finish %j',
    (finish) => {
      const error = { code: 503, message: 'Overloaded.' };
      const chunk = { choices: [{ index: 0, delta: { content: 'half' }, finish_reason: finish, error }] };

      expect(() => read([Buffer.from(`data: ${JSON.stringify(chunk)}\n\n${ended('stop')}`)])).toThrowError(
        expect.objectContaining({ name: 'ModelError', statusCode: 503, retryable: true }),
      );
    },
  );

  it('gives up a reply as one object that does not end', () => {
    const reply = reader();
    const piece = ' '.repeat(2 ** 20);
    const flood = () => {
      for (let pieces = 0; pieces < 200; pieces++) reply.push(piece);
    };
    reply.push('{');

    expect(flood).toThrowError(expect.objectContaining({ name: 'ModelError', retryable: false }));
  });

  it.each([
    ['text-cut', true, 502],
    ['error-in-stream', true, 500],
    ['error-event', false, 400],
    ['malformed', true, 502],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    expect(() => read([wire(name)])).toThrowError(
      expect.objectContaining({ name: 'ModelError', retryable, statusCode }),
    );
  });

  it.each(['reasoning_content', 'reasoning', 'reasoning_text'])(
    'hears the same %s beside every piece of text',
    (field) => {
      const chunk = (content: string) =>
        `data: {"choices":[{"index":0,"delta":{"content":"${content}","${field}":"x"}}]}\n\n`;
      const { events } = read([Buffer.from(chunk('a') + chunk('b') + chunk('c') + ended('stop'))]);

      expect(events.flatMap((event) => (event.type === 'thinking' ? [event.delta] : [])).join('')).toBe('xxx');
    },
  );

  it('does not take the word null for a reason to end', () => {
    const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"null"}]}\n\n';

    expect(() => read([Buffer.from(chunk)])).toThrowError(expect.objectContaining({ retryable: true }));
    expect(read([Buffer.from(chunk + ended('length'))]).message.stopReason).toBe('length');
  });

  it.each(['', 'data: [DONE]\n\n', ': ping\n\ndata: {"choices":[]}\n\ndata: [DONE]\n\n', '{"id":"x"}', '{"id":'])(
    'takes %j for a reply that was cut',
    (text) => {
      expect(() => read([Buffer.from(text)])).toThrowError(
        expect.objectContaining({ name: 'ModelError', retryable: true }),
      );
    },
  );

  it('keeps thinking and text apart when both come in chunks of the same form', () => {
    const delta = (fields: object) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: null }] })}\n\n`;
    const thoughts = Array.from({ length: 5 }, (_, at) => delta({ content: null, reasoning_content: `t${at}` }));
    const words = Array.from({ length: 5 }, (_, at) => delta({ content: `w${at}`, reasoning_content: null }));

    const { message } = read([Buffer.from([...thoughts, ...words, ...thoughts, ended('stop')].join(''))]);

    expect(message.content.map((block) => 'text' in block && block.text)).toEqual([
      't0t1t2t3t4',
      'w0w1w2w3w4',
      't0t1t2t3t4',
    ]);
  });

  test.prop([
    fc.array(fc.json({ maxDepth: 4 }), { maxLength: 4 }),
    fc.constantFrom('choices', 'delta', 'tool_calls', 'usage', 'reasoning_details', 'content'),
  ])('answers chunks of any shape with a message or a typed error', (values, place) => {
    const chunks = values.map(
      (value) =>
        ({
          choices: `{"choices":${value}}`,
          delta: `{"choices":[{"index":0,"delta":${value}}]}`,
          tool_calls: `{"choices":[{"delta":{"tool_calls":[${value},{"index":0,"function":${value}}]}}]}`,
          usage: `{"choices":[],"usage":${value}}`,
          reasoning_details: `{"choices":[{"delta":{"reasoning_details":[${value}],"thinking_blocks":${value}}}]}`,
          content: `{"choices":[{"delta":{"content":[${value}]}}]}`,
        })[place],
    );
    const bytes = Buffer.from(chunks.map((data) => `data: ${data}\n\n`).join('') + ended('stop'));

    const outcome = outcomeOf(() => read([bytes]).message.stopReason);

    expect(['end', 'tool_use', 'refusal', 'length', 'STREAM_CUT', 'MODEL_ERROR']).toContain(outcome);
  });

  it.each(['text', 'parallel-calls', 'reasoning-details'])(
    'cut at any byte, %s is whole or an error to be retried',
    (name) => {
      const bytes = wire(name);
      const whole = facts(read([bytes]).message);

      for (let end = 0; end < bytes.length; end++) {
        const outcome = outcomeOf(() => facts(read([bytes.subarray(0, end)]).message));
        if (outcome === 'STREAM_CUT') continue;
        // the usage comes after the end that the model makes
        expect(outcome).toMatchObject({ content: whole.content, stopReason: whole.stopReason });
      }
    },
  );

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

  test.prop([fc.constantFrom(...names), fc.array(fc.nat({ max: 4000 }), { maxLength: 100, size: 'max' })])(
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
