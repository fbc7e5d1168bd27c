import type { ModelOptions, ModelRequest } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { chatOptions } from '../src/openai-chat/chat-options.ts';
import { echo, exchange } from './features/exchange.ts';
import { PROVIDERS } from './features/providers.ts';

const chat = PROVIDERS[0]!;
const anthropic = PROVIDERS.find(({ name }) => name === 'anthropic')!;
const gemini = PROVIDERS.find(({ name }) => name === 'gemini')!;
const sent = async (
  provider = chat,
  options: ModelOptions = {},
  more: Partial<ModelRequest> & { extra?: object } = {},
) => {
  const { extra, ...request } = more;
  const config = (url: string) =>
    ({ ...provider.config(url), ...(extra ? { extraBody: extra } : {}) }) as ProviderConfig;
  const { model: _none, ...rest } = request;
  return (
    await exchange({ ...provider, config }, { body: provider.stream('text') }, { options, tools: [echo], ...rest })
  ).body;
};
const outputFormat = { name: 'answer', schema: { type: 'object' }, strict: false };

describe('options in a request', () => {
  it.each<[string, ModelOptions, object]>([
    ['deepseek-v4-pro', { reasoning: { effort: 'max' } }, { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['kimi-k2.6', { reasoning: 'off' }, { thinking: { type: 'disabled' } }],
    ['mistral-small-latest', { seed: 7, reasoning: 'off' }, { random_seed: 7, reasoning_effort: 'none' }],
    ['gpt-4o', { reasoning: 'off', maxOutputTokens: 9 }, { max_completion_tokens: 9 }],
  ])('of %s are written in its words: %j', (model, options, fields) => {
    expect(chatOptions(model).fieldsOf(options)).toEqual(fields);
  });

  it.each<[ModelOptions, object]>([
    [{ reasoning: { effort: 'low' } }, { reasoning: { effort: 'low' } }],
    [{ reasoning: { budgetTokens: 9 } }, { reasoning: { max_tokens: 9 } }],
    [{ reasoning: 'off' }, { reasoning: { enabled: false } }],
  ])('to OpenRouter are its reasoning object: %j', (options, fields) => {
    const service = { baseUrl: 'https://openrouter.ai/api/v1' };

    expect(chatOptions('some/model', service).fieldsOf(options)).toEqual(fields);
  });

  it('to an old version of Azure have the old field for the length', async () => {
    const azure = PROVIDERS.find(({ name }) => name === 'azure-openai')!;
    const config = (url: string) => ({ ...azure.config(url), apiVersion: '2024-06-01' }) as ProviderConfig;

    const body = await sent({ ...azure, config }, { maxOutputTokens: 9 });

    expect(body).toMatchObject({ max_tokens: 9 });
  });

  it('are joined with further fields of the service', async () => {
    const responses = PROVIDERS.find(({ name }) => name === 'responses')!;

    const body = await sent(responses, { reasoning: { effort: 'low' } }, { extra: { reasoning: { summary: 'auto' } } });

    expect(body['reasoning']).toEqual({ effort: 'low', summary: 'auto' });
  });

  it('about tools are left out where there are none', async () => {
    for (const provider of PROVIDERS.filter(({ name }) => name !== 'gemini')) {
      const body = await sent(provider, { parallelToolCalls: false, toolChoice: 'auto' }, { tools: [] });

      expect(body).not.toHaveProperty('parallel_tool_calls');
      expect(body).not.toHaveProperty('tool_choice');
    }
    expect(await sent(gemini, { toolChoice: 'none' }, { tools: [] })).not.toHaveProperty('toolConfig');
  });

  it.each<[ModelOptions, object]>([
    [
      { toolChoice: 'auto', parallelToolCalls: true },
      { type: 'auto', disable_parallel_tool_use: false },
    ],
    [
      { toolChoice: 'required', parallelToolCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [{ toolChoice: 'none', parallelToolCalls: false }, { type: 'none' }],
  ])('to Anthropic are one choice of a tool: %j', async (options, choice) => {
    expect((await sent(anthropic, options))['tool_choice']).toEqual(choice);
  });

  it('leave the final tool of an answer forced, with one call at a time', async () => {
    const old = { ...anthropic, model: anthropic.modelWithoutFormat };

    const body = await sent(old, { parallelToolCalls: false }, { outputFormat });

    expect(body['tool_choice']).toEqual({ type: 'any', disable_parallel_tool_use: true });
  });

  it('give thinking room beside the answer', async () => {
    const body = await sent(anthropic, { reasoning: { budgetTokens: 64_000 } });

    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 64_000 }, max_tokens: 72_192 });
  });

  it('hold for their request, and not for the next one of the conversation', async () => {
    for (const provider of PROVIDERS) {
      await using server = await wireServer({ body: provider.stream('text') });
      const model = createModel(provider.config(server.url), provider.model);
      const tools = [echo];
      const ask = async (more: Partial<ModelRequest>) => {
        const request = { instruction: 'Be brief.', messages: [], tools, signal: AbortSignal.timeout(9_000), ...more };
        await collect(model.stream(request));
      };

      await ask({});
      await ask({ options: { maxOutputTokens: 77 } });
      await ask({ options: { maxOutputTokens: 78 } });
      await ask({});

      const [first, second, third, last] = server.requests.map(({ body }) => body);
      expect(second).toContain('77');
      expect(third).toContain('78');
      expect(first).not.toContain('77');
      expect(last).toBe(first);
    }
  });

  it('change the lifetime of the cache at the tools too, and back', async () => {
    await using server = await wireServer({ body: anthropic.stream('text') });
    const model = createModel(anthropic.config(server.url), anthropic.model);
    const tools = [echo];
    const signal = AbortSignal.timeout(9_000);

    for (const options of [{}, { cache: { ttl: '1h' } } as const, {}]) {
      await collect(model.stream({ instruction: 'Be brief.', messages: [], tools, signal, options }));
    }

    const marks = server.requests.map(({ body }) => body.split('"ttl":"1h"').length - 1);
    expect(marks).toEqual([0, 3, 0]);
  });
});
