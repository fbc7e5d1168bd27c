import { describe, expect, it } from 'vitest';
import { anyId, call, read, say, sse, stop } from '../../test/replies/gemini.ts';

describe('GeminiReplyReader', () => {
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

  it('keeps streamed arguments that cannot be placed as text, which no schema accepts', () => {
    const partialArgs = [
      { jsonPath: '$.a', stringValue: 'x' },
      { jsonPath: '$.a.b', numberValue: 1 },
    ];
    const { message } = read([sse(say([{ functionCall: { name: 'f', partialArgs } }], stop))]);

    expect(message.content).toEqual([call(anyId, 'f', '{"a":"x"}')]);
  });
});
