import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { histories } from '../strict/histories.ts';
import { asking, look, NOVA } from './asking-bedrock.ts';
import { CONVERSE_RULES, type Converse } from './converse-rules.ts';
import { CONVERSE_STREAMS } from './converse-streams.ts';

const { text: TEXT } = CONVERSE_STREAMS;

describe('a strict Converse', () => {
  test.prop(
    {
      messages: histories({ provider: 'bedrock', model: NOVA }),
      tools: fc.constantFrom([look], []),
      isFormed: fc.boolean(),
    },
    { numRuns: 60, seed: 87 },
  )('takes every history of a session', async ({ messages, tools, isFormed }) => {
    const { ask, close } = await asking(({ body }) => {
      const fault = CONVERSE_RULES.find(({ breaks }) => breaks(JSON.parse(body) as Converse)); // safe: unchecked
      return fault ? { status: 400, body: JSON.stringify({ error: { message: fault.words } }) } : { body: TEXT };
    }, 'named');
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const outputFormat = { outputFormat: { name: 'answer', schema, strict: false } };
    try {
      const reply = await ask(NOVA, { messages, tools, ...(isFormed ? outputFormat : {}) });
      expect(reply.usage.totalTokens).toBe(18);
    } finally {
      await close();
    }
  });

  const user = (...content: object[]) => ({ role: 'user', content });
  const assistant = (...content: object[]) => ({ role: 'assistant', content });
  const use = { toolUse: { toolUseId: 'a', name: 'look', input: {} } };
  const broken: Readonly<Record<string, Converse>> = {
    'A conversation must start with a user message': { messages: [assistant({ text: 'a' })] },
    'roles must alternate': { messages: [user({ text: 'a' }), user({ text: 'b' })] },
    'The content field is empty': { messages: [user()] },
    'The text field is blank': { messages: [user({ text: ' ' })] },
    'The toolConfig field must be defined': { messages: [user({ text: 'a' }), assistant(use)] },
    'Expected toolResult blocks': {
      messages: [user({ text: 'a' }), assistant(use), user({ text: 'b' })],
      toolConfig: {},
    },
    'toolUseId or name is not valid': {
      messages: [user({ text: 'a' }), assistant({ toolUse: { toolUseId: 'a b', name: 'look' } })],
      toolConfig: {},
    },
    'reasoning without its signature': {
      messages: [user({ text: 'a' }), assistant({ reasoningContent: { reasoningText: { text: 'a' } } }, { text: 'b' })],
    },
  };

  it.each(CONVERSE_RULES.map((rule) => [rule.words, rule] as const))(
    'refuses what breaks its rule: %s',
    (words, rule) => {
      expect(rule.breaks(broken[words]!)).toBe(true);
      expect(rule.breaks({ messages: [user({ text: 'a' }), assistant({ text: 'b' }), user({ text: 'c' })] })).toBe(
        false,
      );
    },
  );
});
