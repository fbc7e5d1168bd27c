import { describe, expect, it } from 'vitest';
import { read, say, sse, stop } from '../../test/replies/gemini.ts';

describe('GeminiReplyReader', () => {
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
});
