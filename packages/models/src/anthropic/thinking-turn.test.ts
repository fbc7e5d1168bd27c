import { type AssistantMessage, type Message, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { assistant, bodyOf, call, MODEL, requestOf, say, thought, tool } from '../../test/requests/anthropic.ts';
import { RequestBytes } from '../wire/request-bytes.ts';
import { anthropicFormat } from './to-request.ts';

describe('thinking with a budget', () => {
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const options = { extraBody: { thinking } };
  const question = userMessage('Hello');
  const foreign = assistant(thought('hm', {}, 'gemini'), call('c'));
  const own = assistant(thought('hm', { signature: 's' }), call('c'));
  const later = assistant(call('d'));
  const results = (reply: AssistantMessage) => toolMessage(reply, [{ output: 'x', isError: false }]);

  it.each<[string, readonly Message[], boolean]>([
    ['at the beginning', [question], true],
    [
      'after a turn of another provider',
      [question, foreign, results(foreign), assistant(say('so')), userMessage('and?')],
      true,
    ],
    ['in a loop that began with a thought', [question, own, results(own), later, results(later)], true],
    ['in a loop that another provider began', [question, foreign, results(foreign)], false],
    ['in that loop later on', [question, foreign, results(foreign), own, results(own)], false],
    ['in that loop when the user has spoken', [question, foreign, results(foreign), userMessage('hurry')], false],
  ])('is asked for %s: %s', (_when, messages, asked) => {
    expect(bodyOf({ messages }, options)['thinking']).toEqual(asked ? thinking : undefined);
    expect(bodyOf({ messages }, { extraBody: { thinking: { type: 'adaptive' } } })['thinking']).toEqual({
      type: 'adaptive',
    });
  });

  it('leaves the head as it is from turn to turn', () => {
    const bytes = new RequestBytes(anthropicFormat(MODEL, options));
    const tools = [tool('a')];
    const messages = [question, own, results(own), later, results(later)];
    const heads = [1, 3, 5].map((length) => {
      const body = bytes.bodyOf(requestOf({ tools, messages: messages.slice(0, length) })).bytes.toString();
      return body.slice(0, body.indexOf('"messages"'));
    });

    expect(new Set(heads).size).toBe(1);
  });

  it('comes back when the next turn begins', () => {
    const bytes = new RequestBytes(anthropicFormat(MODEL, options));
    const tools = [tool('a')];
    const messages = [question, foreign, results(foreign), assistant(say('so')), userMessage('and?')];
    const asked = [1, 3, 5].map((length) => {
      return bytes.bodyOf(requestOf({ tools, messages: messages.slice(0, length) })).bytes.includes('budget_tokens');
    });

    expect(asked).toEqual([true, false, true]);
  });
});
