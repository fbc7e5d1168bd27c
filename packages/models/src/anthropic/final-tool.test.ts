import { describe, expect, it } from 'vitest';
import { answer, hi, kept, read, say, thought, told, two, wire } from '../../test/replies/anthropic.ts';

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
