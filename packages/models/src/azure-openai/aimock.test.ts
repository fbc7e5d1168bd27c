import { type Message, type ModelRequest, textOf, toolUsesOf, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPENAI_WORDS, weather, weatherFake } from '../../test/weather-fake.ts';
import { createModel } from '../create-model.ts';

const mock = weatherFake(OPENAI_WORDS);

beforeAll(() => mock.start());
afterAll(() => mock.stop());

describe.each([
  ['with apiVersion', '2024-10-21', '/openai/deployments/gpt-4o-mini/chat/completions'],
  ['without apiVersion', undefined, '/openai/v1/chat/completions'],
])('azure %s against aimock, an independent reading of the format', (_, apiVersion, path) => {
  function ask(messages: readonly Message[], more: Partial<ModelRequest> = {}) {
    const model = createModel({ type: 'azure-openai', apiKey: 'k', baseUrl: mock.url, apiVersion }, 'gpt-4o-mini');
    const { signal } = new AbortController();
    return collect(model.stream({ instruction: 'Be brief.', messages, tools: [weather], signal, ...more }));
  }
  const asked = (text: string, more?: Partial<ModelRequest>) => ask([userMessage(text)], more);

  it('streams text, with usage', async () => {
    const { events, value } = await asked('greet');

    expect(events.map((event) => event.type === 'content' && event.delta).join('')).toBe('Good morning to you.');
    expect(textOf(value)).toBe('Good morning to you.');
    expect(value).toMatchObject({ stopReason: 'end', usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 } });
  });

  it('takes a call, sends its result, gets the answer', async () => {
    const question = userMessage('forecast');
    const { value } = await ask([question]);

    const { value: answer } = await ask([question, value, toolMessage(value, [{ output: 'sunny', isError: false }])]);

    expect(toolUsesOf(value)).toMatchObject([{ id: 'call_9', name: 'weather', input: { city: 'Oslo' } }]);
    expect(textOf(answer)).toBe('It is sunny in Oslo.');
    expect(mock.getRequests().at(-1)?.path.split('?')[0]).toBe(path);
  });

  it('takes two calls at once', async () => {
    const { value } = await asked('two cities');

    expect(toolUsesOf(value).map((use) => use.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
    expect(value.stopReason).toBe('tool_use');
  });

  it('asks for an answer of a given form', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const { value } = await asked('json', { outputFormat: { name: 'answer', schema, strict: false } });

    expect(JSON.parse(textOf(value))).toEqual({ answer: 42 });
  });

  it('says that the length limit ended a reply', async () => {
    expect((await asked('long')).value.stopReason).toBe('length');
  });

  it.each([
    ['slow down', { statusCode: 429, retryable: true, retryAfter: 3 }],
    ['broken', { statusCode: 500, retryable: true }],
    ['nobody knows this', { statusCode: 404, retryable: false }],
    ['hang up', { statusCode: 502, retryable: true }],
  ])('%s: fails with %j', async (text, facts) => {
    await expect(asked(text)).rejects.toMatchObject({ name: 'ModelError', ...facts });
  });
});
