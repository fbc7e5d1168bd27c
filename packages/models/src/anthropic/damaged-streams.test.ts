import { describe, expect, it } from 'vitest';
import { facts, greeting, now, read, readText, say, usage, wire } from '../../test/replies/anthropic.ts';

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
      expect.objectContaining({ name: 'ModelError', retryable, statusCode }),
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
    const failure = expect.objectContaining({ name: 'ModelError', message: expect.stringContaining(message) });

    expect(() => readText(begun + text)).toThrowError(failure);
    expect(() => readText(text)).toThrowError(failure);
  });

  it('does not take a reply for whole that was given up', () => {
    const failure = expect.objectContaining({ name: 'ModelError', retryable: true });
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
    const failure = expect.objectContaining({ name: 'ModelError', retryable: true });
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
