import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  addUsage,
  noUsage,
  type TokenUsage,
  textOf,
  toolUsesOf,
  userMessage,
} from './message.ts';

const count = fc.nat({ max: 1_000_000 });
const usage: fc.Arbitrary<TokenUsage> = fc
  .record(
    {
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
      estimated: fc.constant(true as const),
    },
    { requiredKeys: ['inputTokens', 'outputTokens'], noNullPrototype: true },
  )
  .map((facts) => ({ ...facts, totalTokens: facts.inputTokens + facts.outputTokens }));

describe('addUsage', () => {
  test.prop([usage, usage])('does not care which comes first', (one, other) => {
    expect(addUsage(one, other)).toStrictEqual(addUsage(other, one));
  });

  test.prop([usage, usage, usage])('does not care how the sum is grouped', (one, two, three) => {
    expect(addUsage(addUsage(one, two), three)).toStrictEqual(addUsage(one, addUsage(two, three)));
  });

  test.prop([usage])('changes nothing when nothing is added', (one) => {
    expect(addUsage(one, noUsage())).toStrictEqual(one);
  });

  test.prop([usage, usage])('keeps total = input + output', (one, other) => {
    const sum = addUsage(one, other);

    expect(sum.totalTokens).toBe(sum.inputTokens + sum.outputTokens);
  });

  test.prop([usage, usage])('has an optional count only when one of the two has it', (one, other) => {
    const sum = addUsage(one, other);

    expect(Object.keys(sum).sort()).toEqual([...new Set([...Object.keys(one), ...Object.keys(other)])].sort());
  });

  test.prop([usage, usage])('changes neither of the two', (one, other) => {
    const before = structuredClone([one, other]);

    addUsage(one, other);

    expect([one, other]).toEqual(before);
  });
});

describe('noUsage', () => {
  it('is a fresh value each time', () => {
    expect(noUsage()).not.toBe(noUsage());
  });
});

describe('userMessage', () => {
  it('is a text block with a fresh id and a time', () => {
    const message = userMessage('hi');

    expect(message).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'hi' }] });
    expect(message.id).not.toBe(userMessage('hi').id);
    expect(new Date(message.createdAt).toISOString()).toBe(message.createdAt);
  });
});

describe('textOf and toolUsesOf', () => {
  const reply: AssistantMessage = {
    id: 'm',
    createdAt: '2025-01-01T00:00:00.000Z',
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hidden' },
      { type: 'text', text: 'one ' },
      { type: 'tool_use', id: 'b', name: 'second', input: {} },
      { type: 'text', text: 'two' },
      { type: 'tool_use', id: 'a', name: 'first', input: {} },
    ],
    provider: 'p',
    model: 'm',
    usage: noUsage(),
    stopReason: 'tool_use',
  };

  it('joins the text blocks only', () => {
    expect(textOf(reply)).toBe('one two');
  });

  it('finds the calls in the order of the reply', () => {
    expect(toolUsesOf(reply).map((use) => use.id)).toEqual(['b', 'a']);
  });
});
