import { describe, expect, it } from 'vitest';
import { facts, read, say, sse, stop, wire } from '../../test/replies/gemini.ts';

describe('GeminiReplyReader', () => {
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
});
