import { LLMock } from '@copilotkit/aimock';
import { defineTool, type Message, type ModelRequest, objectSchema, textOf, toolUsesOf, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';

const mock = new LLMock({ port: 0 });
const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: objectSchema({ city: { type: 'string', description: 'Where.' } }),
  kind: 'readonly',
  execute: async () => 'sunny',
});
const call = (id: string, city: string) => ({ id, name: 'weather', arguments: JSON.stringify({ city }) });
const thinking = { type: 'enabled', budget_tokens: 2_000 };

beforeAll(async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  mock
    .onToolResult('toolu_9', { content: 'It is sunny in Oslo.' }) // first: the question stays in the history
    .onMessage('greet', { content: 'Good morning to you.', usage })
    .onMessage('think', { content: 'So be it.', reasoning: 'Let me think.' })
    .onMessage('ponder', { toolCalls: [call('toolu_9', 'Oslo')], reasoning: 'I must ask.' })
    .onMessage('two cities', { toolCalls: [call('toolu_1', 'Oslo'), call('toolu_2', 'Rome')] })
    .onMessage('forecast', { toolCalls: [call('toolu_9', 'Oslo')] })
    .onMessage('json', { content: '{"answer":42}' })
    .onMessage('answer by tool', { toolCalls: [{ id: 'toolu_3', name: 'answer', arguments: '{"answer":42}' }] })
    .onMessage('long', { content: 'cut here', finishReason: 'length' })
    .onMessage('slow down', { error: { message: 'Too fast', type: 'rate_limit_error' }, status: 429, retryAfter: 3 })
    .onMessage('broken', { error: { message: 'Oops', type: 'api_error' }, status: 500 })
    .onMessage('hang up', { content: 'a b c d e f g h i j k l m n o p' }, { chunkSize: 2, truncateAfterChunks: 3 });
  await mock.start();
});
afterAll(() => mock.stop());

function ask(text: string, more: Partial<ModelRequest> = {}, extraBody = {}, name = 'claude-opus-4-6') {
  const model = createModel({ type: 'anthropic', apiKey: 'k', baseUrl: mock.url, extraBody }, name);
  const messages: readonly Message[] = [userMessage(text)];
  const { signal } = new AbortController();
  return collect(model.stream({ instruction: 'Be brief.', messages, tools: [weather], signal, ...more }));
}

describe('against aimock, an independent reading of the format', () => {
  it('streams text, with usage', async () => {
    const { events, value } = await ask('greet');

    expect(events.map((event) => event.type === 'content' && event.delta).join('')).toBe('Good morning to you.');
    expect(value).toMatchObject({ stopReason: 'end', usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } });
  });

  it('streams thinking before text', async () => {
    const { value } = await ask('think');

    expect(value.content).toMatchObject([
      { type: 'thinking', text: 'Let me think.', providerData: { provider: 'anthropic' } },
      { type: 'text', text: 'So be it.' },
    ]);
  });

  it.each([
    ['forecast', {}],
    ['ponder', { thinking }],
  ])('%s: takes a call, sends its result, gets the answer', async (text, extraBody) => {
    const question = userMessage(text);
    const { value } = await ask('', { messages: [question] }, extraBody);
    const results = toolMessage(value, [{ output: 'sunny', isError: false }]);

    const { value: answer } = await ask('', { messages: [question, value, results] }, extraBody);

    expect(toolUsesOf(value)).toMatchObject([{ id: 'toolu_9', name: 'weather', input: { city: 'Oslo' } }]);
    expect(textOf(answer)).toBe('It is sunny in Oslo.');
  });

  it('goes on with a loop that another provider began, without thinking', async () => {
    const question = userMessage('forecast');
    const { value } = await ask('', { messages: [question] });
    const results = toolMessage(value, [{ output: 'sunny', isError: false }]);

    const { value: answer } = await ask('', { messages: [question, value, results] }, { thinking });

    expect(textOf(answer)).toBe('It is sunny in Oslo.');
  });

  it('takes two calls at once', async () => {
    const { value } = await ask('two cities');

    expect(toolUsesOf(value).map((use) => use.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
    expect(value.stopReason).toBe('tool_use');
  });

  it.each([
    ['json', 'claude-opus-4-6'],
    ['answer by tool', 'claude-opus-4-1'],
  ])('%s: asks %s for an answer of a given form', async (text, model) => {
    const schema = {
      type: 'object',
      properties: { answer: { type: 'number' } },
      required: ['answer'],
      additionalProperties: false,
    };
    const { value } = await ask(text, { outputFormat: { name: 'answer', schema, strict: true } }, {}, model);

    expect(JSON.parse(textOf(value))).toEqual({ answer: 42 });
    expect(value.stopReason).toBe('end');
  });

  it('says that the limit ended a reply', async () => {
    expect((await ask('long')).value.stopReason).toBe('length');
  });

  it.each([
    ['slow down', { statusCode: 429, retryable: true, retryAfter: 3 }],
    ['broken', { statusCode: 500, retryable: true }],
    ['nobody knows this', { statusCode: 404, retryable: false }],
    ['hang up', { statusCode: 502, retryable: true }],
  ])('%s: fails with %j', async (text, facts) => {
    await expect(ask(text)).rejects.toMatchObject({ name: 'ModelError', ...facts });
  });
});
