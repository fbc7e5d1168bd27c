import { LLMock } from '@copilotkit/aimock';
import { type Message, type ModelRequest, objectSchema, type Tool, textOf, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModel } from './create-model.ts';
import { supportedModels } from './list-models.ts';

const mock = new LLMock({ port: 0 });
const weather: Tool = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: objectSchema({ city: { type: 'string', description: 'Where.' } }),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: 'sunny', isError: false };
  },
};
const call = (id: string, city: string) => ({ id, name: 'weather', arguments: JSON.stringify({ city }) });

beforeAll(async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  mock
    .onToolResult('call_9', { content: 'It is sunny in Oslo.' }) // first: the question stays in the history
    .onMessage('greet', { content: 'Good morning to you.', usage })
    .onMessage('think', { content: 'So be it.', reasoning: 'Let me think.' })
    .onMessage('two cities', { toolCalls: [call('call_1', 'Oslo'), call('call_2', 'Rome')] })
    .onMessage('forecast', { toolCalls: [call('call_9', 'Oslo')] })
    .onMessage('json', { content: '{"answer":42}' })
    .onMessage('long', { content: 'cut here', finishReason: 'length' })
    .onMessage('forbidden', { content: 'No.', finishReason: 'content_filter' })
    .onMessage('slow down', { error: { message: 'Too fast', type: 'rate_limit_error' }, status: 429, retryAfter: 3 })
    .onMessage('broken', { error: { message: 'Oops', type: 'server_error' }, status: 500 })
    .onMessage('hang up', { content: 'a b c d e f g h i j k l m n o p' }, { chunkSize: 2, truncateAfterChunks: 3 });
  await mock.start();
});
afterAll(() => mock.stop());

function ask(text: string, more: Partial<ModelRequest> = {}) {
  const messages: readonly Message[] = [userMessage(text)];
  const { signal } = new AbortController();
  return collect(model().stream({ instruction: 'Be brief.', messages, tools: [weather], signal, ...more }));
}
const model = () => createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${mock.url}/v1` }, 'gpt-4o-mini');

describe('against aimock, an independent reading of the format', () => {
  it('streams text, with usage', async () => {
    const { events, value } = await ask('greet');

    expect(events.map((event) => event.type === 'content' && event.delta).join('')).toBe('Good morning to you.');
    expect(value).toMatchObject({ stopReason: 'end', usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } });
  });

  it('streams thinking before text', async () => {
    const { value } = await ask('think');

    expect(value.content).toMatchObject([
      { type: 'thinking', text: 'Let me think.' },
      { type: 'text', text: 'So be it.' },
    ]);
  });

  it('takes a call, sends its result, gets the answer', async () => {
    const question = userMessage('forecast');
    const { value } = await ask('', { messages: [question] });
    const output = {
      type: 'tool_result',
      toolUseId: 'call_9',
      name: 'weather',
      output: 'sunny',
      isError: false,
    } as const;
    const results: Message = { id: 'r', createdAt: '', role: 'tool', content: [output] };

    const { value: answer } = await ask('', { messages: [question, value, results] });

    expect(toolUsesOf(value)).toEqual([{ type: 'tool_use', id: 'call_9', name: 'weather', input: { city: 'Oslo' } }]);
    expect(textOf(answer)).toBe('It is sunny in Oslo.');
    expect(mock.getRequests().at(-1)?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'weather', parameters: weather.inputSchema.json } }],
      messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }, { role: 'tool', tool_call_id: 'call_9' }],
    });
  });

  it('takes two calls at once', async () => {
    const { value } = await ask('two cities');

    expect(toolUsesOf(value).map((use) => use.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
    expect(value.stopReason).toBe('tool_use');
  });

  it('asks for an answer of a given form', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const { value } = await ask('json', { outputFormat: { name: 'answer', schema, strict: true } });

    expect(JSON.parse(textOf(value))).toEqual({ answer: 42 });
    expect(mock.getRequests().at(-1)?.body).toMatchObject({ response_format: { json_schema: { schema } } });
  });

  it.each([
    ['long', 'length'],
    ['forbidden', 'refusal'],
  ])('%s: stops by %s', async (text, stopReason) => {
    expect((await ask(text)).value.stopReason).toBe(stopReason);
  });

  it.each([
    ['slow down', { statusCode: 429, retryable: true, retryAfter: 3 }],
    ['broken', { statusCode: 500, retryable: true }],
    ['nobody knows this', { statusCode: 404, retryable: false }],
    ['hang up', { statusCode: 502, retryable: true }],
  ])('%s: fails with %j', async (text, facts) => {
    await expect(ask(text)).rejects.toMatchObject({ code: 'MODEL_ERROR', ...facts });
  });

  it('lists models', async () => {
    const models = await supportedModels({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${mock.url}/v1` });

    expect(models.length).toBeGreaterThan(0);
    expect(models[0]).toEqual({ id: expect.any(String), name: expect.any(String), provider: 'openai-compatible' });
  });
});
