import { type Message, type ModelRequest, textOf, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPENAI_WORDS, weather, weatherFake } from '../test/weather-fake.ts';
import { createModel } from './create-model.ts';
import { supportedModels } from './list-models.ts';

const mock = weatherFake(OPENAI_WORDS);

beforeAll(() => mock.start());
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
    await expect(ask(text)).rejects.toMatchObject({ name: 'ModelError', ...facts });
  });

  it('lists models', async () => {
    const models = await supportedModels({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${mock.url}/v1` });

    expect(models.length).toBeGreaterThan(0);
    expect(models[0]).toEqual({ id: expect.any(String), name: expect.any(String), provider: 'openai-compatible' });
  });
});
