import { fc, test } from '@fast-check/vitest';
import type { Message, UserMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { histories, replied, said } from '../../test/histories.ts';
import { contextTokens, estimateText, estimateTokens } from './estimate-tokens.ts';

const picture = { type: 'image' as const, mediaType: 'image/png', data: 'A'.repeat(100_000) };

describe('estimateText', () => {
  it('takes four letters for a token', () => {
    expect(estimateText('x'.repeat(400))).toBe(100);
    expect(estimateText('')).toBe(0);
  });

  it('takes a character of Chinese, Japanese or Korean for a token', () => {
    expect(estimateText('请继续工作')).toBe(5);
    expect(estimateText('한국어')).toBe(3);
  });
});

describe('estimateTokens', () => {
  it('counts a picture as a constant, whatever its bytes', () => {
    const message: UserMessage = { ...said('x'), content: [picture] };
    const reply = replied({ calls: ['out'] });
    const answers = toolMessage(reply, [{ output: 'out', isError: false, images: [picture, picture] }]);

    expect(estimateTokens([message])).toBeLessThan(2_000);
    expect(estimateTokens([answers])).toBeGreaterThanOrEqual(3_000);
    expect(estimateTokens([answers])).toBeLessThan(4_000);
  });

  it('counts files by their bytes, texts as texts, and links as a constant', () => {
    const data = 'A'.repeat(100_000);
    const tokensOf = (...content: UserMessage['content']) => estimateTokens([{ ...said('x'), content }]);

    expect(tokensOf({ type: 'file', mediaType: 'text/plain', data })).toBe(4 + 18_750);
    expect(tokensOf({ type: 'file', mediaType: 'application/pdf', data })).toBe(4 + 3_000);
    expect(tokensOf({ type: 'link', mediaType: 'image/*', url: 'https://example.com' })).toBe(4 + 1_500);
    expect(tokensOf({ type: 'link', mediaType: 'application/pdf', url: 'https://example.com' })).toBe(4 + 10_000);
  });

  it('counts inputs and outputs of calls', () => {
    const reply = replied({ calls: ['x'.repeat(400)] });

    expect(estimateTokens([reply])).toBeGreaterThan(5);
    expect(estimateTokens([toolMessage(reply, [{ output: 'x'.repeat(400), isError: false }])])).toBeGreaterThan(100);
  });

  test.prop([histories, fc.nat(50)])('is the sum of its parts', (messages, at) => {
    const parts = estimateTokens(messages.slice(0, at)) + estimateTokens(messages.slice(at));

    expect(estimateTokens(messages)).toBe(parts);
  });
});

describe('contextTokens', () => {
  const counted = (second: number) =>
    replied({ second, usage: { inputTokens: 900, outputTokens: 50, totalTokens: 950 } });

  it('is what the service counted, and an estimate of what came after', () => {
    const after = said('x'.repeat(400), 3);

    expect(contextTokens([said('a', 1), counted(2), after], () => 5_000)).toBe(950 + estimateTokens([after]));
  });

  it('estimates everything, and what goes along with it, where the service counted nothing', () => {
    const messages: Message[] = [said('a', 1), replied({ second: 2 }), said('b', 3)];

    expect(contextTokens(messages, () => 5_000)).toBe(5_000 + estimateTokens(messages));
  });

  it('does not trust a count that is itself an estimate', () => {
    const reply = replied({
      second: 2,
      usage: { inputTokens: 900, outputTokens: 1, totalTokens: 901, estimated: true },
    });

    expect(contextTokens([said('a', 1), reply])).toBeLessThan(50);
  });

  it('does not trust a count from before a compaction', () => {
    const summary = said('What was said.', 100);

    expect(contextTokens([summary, said('a', 1), counted(2)])).toBeLessThan(50);
    expect(contextTokens([summary, said('a', 1), counted(2), counted(101)])).toBe(950);
  });
});
