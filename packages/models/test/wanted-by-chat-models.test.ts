import { type Message, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { chat, chunk, look, talkTo, titled } from './talk.ts';

type Wire = Readonly<Record<string, unknown>>;
const called = (id = 'gSIMJiOkT') => ({
  tool_calls: [{ index: 0, id, type: 'function', function: { name: 'look', arguments: '{}' } }],
});
const config = { type: 'openai-compatible' } as const;
const thoughtful = chat(chunk({ reasoning_content: 'I must look.' }), chunk(called(), 'tool_calls'));
const hasty = chat(chunk(called('call_2'), 'tool_calls'));
const fine = chat(chunk({ reasoning_content: 'Now I know.' }), chunk({ content: 'Fine.' }, 'stop'));
const results = (reply: Parameters<typeof toolMessage>[0], more: object = {}) =>
  toolMessage(reply, [{ output: 'seen', isError: false, ...more }]);

/** Four replies: a call with a thought, an answer with one, a call without one, a word; then what goes back of each. */
async function thoughtsSentBack(model: string, extraBody: Record<string, unknown> = {}) {
  await using server = await wireServer([thoughtful, fine, hasty, chat(chunk({ content: 'x' }, 'stop'))]);
  const { ask, sent } = talkTo(server, { ...config, extraBody }, model);
  const history: Message[] = [userMessage('Look.')];
  for (const next of [results, () => userMessage('Again.'), results]) {
    const { value } = await ask(history, { tools: [look] });
    history.push(value, next(value));
  }
  await ask(history, { tools: [look] });
  const messages = sent()['messages'] as readonly Wire[];
  return messages.filter(({ role }) => role === 'assistant').map((message) => message['reasoning_content']);
}

describe('thoughts that go back', () => {
  it.each([
    ['deepseek-v4-pro', {}, ['I must look.', 'Now I know.', '']],
    ['deepseek/DeepSeek-V4-flash', {}, ['I must look.', 'Now I know.', '']],
    ['kimi-k2-thinking', {}, ['I must look.', undefined, '']],
    ['kimi-k2.6', { thinking: { type: 'enabled', keep: 'all' } }, ['I must look.', 'Now I know.', '']],
    ['glm-5', {}, ['I must look.', undefined, undefined]],
    ['glm-5', { thinking: { type: 'enabled', clear_thinking: false } }, ['I must look.', 'Now I know.', undefined]],
    ['deepseek-r1', {}, ['I must look.', undefined, undefined]],
  ])('to %s with %j: %j', async (model, extra, thoughts) => {
    expect(await thoughtsSentBack(model, extra)).toEqual(thoughts);
  });

  it('are empty in the replies of another model, whose thoughts are its own', async () => {
    await using server = await wireServer([thoughtful, fine]);
    const { value } = await talkTo(server, config, 'qwen3-max').ask();
    const { ask, sent } = talkTo(server, config, 'deepseek-v4-pro');

    await ask([userMessage('Look.'), value, results(value)]);

    expect((sent()['messages'] as readonly Wire[])[1]).toMatchObject({ role: 'assistant', reasoning_content: '' });
  });
});

describe('answers of a given form', () => {
  it.each([
    ['deepseek-v4-pro', {}, undefined],
    ['deepseek-v4-pro', { thinking: { type: 'disabled' } }, 'required'],
    ['deepseek-chat', {}, 'required'],
    ['deepseek-chat', { thinking: { type: 'enabled' } }, undefined],
  ])('come from %s with %j by a tool, forced: %s', async (model, extraBody, choice) => {
    await using server = await wireServer(fine);
    const { ask, sent } = talkTo(server, { ...config, extraBody }, model);

    await ask([userMessage('Which book?')], { outputFormat: titled });

    expect(sent()).not.toHaveProperty('response_format');
    expect(sent()).toMatchObject({ tools: [{ function: { name: 'book' } }] });
    expect(sent()['tool_choice']).toBe(choice);
  });

  it.each([
    ['kimi-k2-thinking', {}, undefined],
    ['qwen3-8b', {}, undefined],
    ['qwen3-8b', { enable_thinking: false }, 'required'],
    ['gpt-oss-120b', {}, undefined],
    ['llama-3.3-70b', {}, 'required'],
  ])('force %s with %j to call the tool that the host asks for: %s', async (model, extraBody, choice) => {
    await using server = await wireServer(fine);
    const { ask, sent } = talkTo(server, { ...config, structuredOutput: 'tool', extraBody }, model);

    await ask([userMessage('Which book?')], { outputFormat: titled });

    expect(sent()['tool_choice']).toBe(choice);
  });
});

describe('a user message behind results', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' };

  it.each([
    ['mistral-medium-latest', 'user assistant tool assistant user'],
    ['devstral-2', 'user assistant tool assistant user'],
    ['gpt-5', 'user assistant tool user'],
  ])('goes to %s as %s', async (model, roles) => {
    await using server = await wireServer([thoughtful, fine, fine, fine]);
    const { ask, sent } = talkTo(server, config, model);
    const rolesSent = () => (sent()['messages'] as readonly Wire[]).map(({ role }) => role).join(' ');
    const first = userMessage('Look.');
    const { value } = await ask([first], { tools: [look] });

    await ask([first, value, results(value), userMessage('Stop.')]);
    expect(rolesSent()).toBe(roles);

    await ask([first, value, results(value, { images: [image] })]);
    expect(rolesSent()).toBe(roles);

    // what is left out between them does not count
    await ask([first, value, results(value), { ...value, content: [] }, userMessage('Stop.')]);
    expect(rolesSent()).toBe(roles);
  });
});

describe('requests without tools', () => {
  const choices = { tool_choice: 'auto', parallel_tool_calls: false };

  it.each([
    [config, 'gpt-5', choices],
    [{ ...config, api: 'responses' } as const, 'gpt-5', { ...choices, max_tool_calls: 3 }],
    [{ type: 'gemini' } as const, 'gemini-2.5-pro', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
    [{ type: 'anthropic' } as const, 'claude-sonnet-4-5', { tool_choice: { type: 'auto' } }],
  ])('say nothing about tools: %j', async (provider, model, extraBody) => {
    await using server = await wireServer({ status: 418, body: '{}' });
    const { ask, sent } = talkTo(server, { ...provider, extraBody: { ...extraBody, seed: 1 } }, model);

    await expect(ask()).rejects.toThrow('418');
    expect(sent()).toMatchObject({ seed: 1 });
    for (const name of Object.keys(extraBody)) expect(sent()).not.toHaveProperty(name);

    await expect(ask([userMessage('Look.')], { tools: [look] })).rejects.toThrow('418');
    expect(sent()).toMatchObject(extraBody);
  });
});

describe('the window of a model', () => {
  it('is what the host says, or follows from the name', async () => {
    await using server = await wireServer(fine);
    const windowOf = (model: string, more: object = {}) =>
      talkTo(server, { ...config, ...more }, model).model.contextWindow;

    expect(windowOf('qwen3-8b', { contextWindow: 8_192 })).toBe(8_192);
    expect([windowOf('deepseek-v4-pro'), windowOf('moonshotai/Kimi-K2.6'), windowOf('grok-4.5')]).toEqual([
      1_000_000, 262_144, 256_000,
    ]);
    expect([windowOf('gpt-5.4'), windowOf('gpt-5.4-mini'), windowOf('gpt-5-chat-latest')]).toEqual([
      1_050_000, 400_000, 128_000,
    ]);
    expect(() => windowOf('m', { contextWindow: 0 })).toThrow('provider.contextWindow must be a whole number from 1');
  });
});
