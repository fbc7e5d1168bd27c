import { type ModelRequest, objectSchema, type Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { anyId, call, facts, request, say, signed, sse, stop, text, usage, wire } from '../../test/replies/gemini.ts';
import { GeminiReplyReader } from './from-stream.ts';

const first = 'Cs8CAVSoXO7u0q3Xb2R1bW15LXNpZ25hdHVyZS1vbmU/+w==';

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
