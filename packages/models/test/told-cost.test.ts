import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import { wireServer } from '@x/models/testing';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, chunk } from './talk.ts';

const before = getGlobalDispatcher();
/** Any name is this machine. */
const here = new Agent({
  connect: { lookup: (_, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
});
beforeAll(() => setGlobalDispatcher(here));
afterAll(async () => {
  setGlobalDispatcher(before);
  await here.close();
});

const tokens = { prompt_tokens: 120, completion_tokens: 34, total_tokens: 154 };

/** The cost of the reply of the service at this name, which reports that. */
async function costAt(host: string, reported: object): Promise<unknown> {
  await using server = await wireServer([
    chat(chunk({ content: 'Hi' }, 'stop'), { choices: [], usage: { ...tokens, ...reported } }),
  ]);
  const baseUrl = `http://${host}:${new URL(server.url).port}/api/v1`;
  const config = { type: 'openai-compatible', apiKey: 'k', baseUrl } as ProviderConfig;
  const { signal } = new AbortController();
  const stream = createModel(config, 'vendor/model').stream({
    instruction: '',
    messages: [userMessage('Hello')],
    tools: [],
    signal,
  });
  return (await collect(stream)).value.cost;
}

describe('the cost that OpenRouter tells', () => {
  it.each([
    ['is that of the reply', { cost: 0.0021, is_byok: false, cost_details: { upstream_inference_cost: 1 } }, 0.0021],
    ['may be nothing', { cost: 0 }, 0],
    [
      'has what the service behind it takes from a key of the host',
      { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
      0.021,
    ],
    ['is not known where only a part of it is', { cost: 0.001, is_byok: true }, undefined],
    ['is not known where it is no amount', { cost: '0.0021' }, undefined],
    ['is not known where it is below nothing', { cost: -1 }, undefined],
    ['is not known without it', {}, undefined],
  ])('%s', async (_, reported, cost) => {
    expect(await costAt('openrouter.ai', reported)).toBe(cost);
  });

  it.each(['api.example.com', 'notopenrouter.ai', 'openrouter.ai.example.com'])('is not read from %s', async (host) => {
    expect(await costAt(host, { cost: 0.0021 })).toBeUndefined();
  });
});
