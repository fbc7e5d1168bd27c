import { type ModelOptions, userMessage, ValidationError } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';

const apiKey = 'k';
const CONFIGS = {
  chat: { type: 'openai-compatible', apiKey },
  responses: { type: 'openai-compatible', apiKey, api: 'responses' },
  router: { type: 'openai-compatible', apiKey, baseUrl: 'https://openrouter.ai/api/v1' },
  azure: { type: 'azure-openai', apiKey, baseUrl: 'https://example.openai.azure.com' },
  anthropic: { type: 'anthropic', apiKey },
  gemini: { type: 'gemini', apiKey },
} as const satisfies Record<string, ProviderConfig>;
type Api = keyof typeof CONFIGS;
const check = (api: Api, model: string, options: ModelOptions) =>
  createModel(CONFIGS[api], model).checkOptions?.(options);
const effort = (name: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max') => ({ reasoning: { effort: name } });
const budget = (budgetTokens: number) => ({ reasoning: { budgetTokens } });
const off = { reasoning: 'off' } as const;
const forced = { toolChoice: 'required' } as const;
const named = { toolChoice: { tool: 'echo' } } as const;

const REFUSED: readonly (readonly [api: Api, model: string, options: ModelOptions, option: string, advice: RegExp])[] =
  [
    ['chat', 'gpt-5', { temperature: 1 }, 'temperature', /reasons.*leave it out$/],
    ['chat', 'openai/gpt-5.2', { topP: 1 }, 'topP', /or set reasoning: 'off'$/],
    ['responses', 'o3', { temperature: 0 }, 'temperature', /leave it out$/],
    [
      'responses',
      'gpt-5.2-codex',
      { ...off },
      'reasoning',
      /always reasons; its efforts are low, medium, high, xhigh$/,
    ],
    ['chat', 'o4-mini', { stopSequences: ['a'] }, 'stopSequences', /models that reason/],
    ['chat', 'o3-mini', { parallelToolCalls: true }, 'parallelToolCalls', /one tool at a time/],
    ['chat', 'o1', off, 'reasoning', /its efforts are low, medium, high$/],
    ['chat', 'o1-mini', off, 'reasoning', /it always reasons; leave it out$/],
    ['chat', 'gpt-5', effort('xhigh'), 'reasoning', /its efforts are minimal, low, medium, high$/],
    ['chat', 'gpt-5-pro', effort('low'), 'reasoning', /its efforts are high$/],
    ['responses', 'gpt-5.1', effort('minimal'), 'reasoning', /its efforts are low, medium, high$/],
    ['responses', 'gpt-5.2', effort('max'), 'reasoning', /xhigh$/],
    ['chat', 'gpt-4o', effort('low'), 'reasoning', /does not reason/],
    ['chat', 'gpt-4.1', budget(2_000), 'reasoning', /no budget.*use \{ effort \}/],
    ['responses', 'gpt-5', budget(2_000), 'reasoning', /no budget/],
    ['responses', 'gpt-5', { seed: 1 }, 'seed', /api: 'chat'/],
    ['responses', 'gpt-4.1', { stopSequences: ['a'] }, 'stopSequences', /no such field/],
    ['chat', 'gpt-4o', { cache: { ttl: '24h' } }, 'cache', /no ttl to set/],
    ['chat', 'gpt-5', { cache: { ttl: '30m' } }, 'cache', /its ttl is 24h$/],
    ['responses', 'gpt-5.6', { cache: { ttl: '1h' } }, 'cache', /its ttl is 24h or 30m$/],
    ['azure', 'my-deployment', { cache: { ttl: '1h' } }, 'cache', /extraBody/],
    ['chat', 'qwen3-8b', { cache: { ttl: '24h' } }, 'cache', /extraBody/],
    ['chat', 'qwen3-8b', { stopSequences: ['a', 'b', 'c', 'd', 'e'] }, 'stopSequences', /at most 4/],
    ['chat', 'deepseek-reasoner', { temperature: 0 }, 'temperature', /ignores.*leave it out$/],
    ['chat', 'deepseek-v4-pro', { topP: 0.5 }, 'topP', /or set reasoning: 'off'$/],
    ['chat', 'deepseek-chat', { temperature: 0, ...effort('high') }, 'temperature', /while it thinks/],
    ['chat', 'deepseek-v4-pro', effort('low'), 'reasoning', /its efforts are high, max$/],
    ['chat', 'deepseek-reasoner', off, 'reasoning', /always thinks/],
    ['chat', 'deepseek-v4-pro', forced, 'toolChoice', /forced call/],
    ['chat', 'zai/glm-5', named, 'toolChoice', /forced call/],
    ['chat', 'kimi-k2.6', effort('low'), 'reasoning', /no effort to set/],
    ['chat', 'grok-4', { stopSequences: ['a'] }, 'stopSequences', /leave it out/],
    ['chat', 'mistral-large-latest', { serviceTier: 'flex' }, 'serviceTier', /has none/],
    ['chat', 'magistral-medium-latest', off, 'reasoning', /always thinks/],
    ['router', 'anthropic/claude-opus-4.7', { temperature: 0 }, 'temperature', /any more/],
    ['anthropic', 'claude-opus-4-7', { topP: 1 }, 'topP', /from Claude 4.7 on/],
    ['anthropic', 'claude-fable-5', { temperature: 0 }, 'temperature', /effort/],
    ['anthropic', 'claude-sonnet-4-5', { temperature: 1.5 }, 'temperature', /0 to 1/],
    ['anthropic', 'claude-sonnet-4-5', { temperature: 1, topP: 1 }, 'topP', /either/],
    ['anthropic', 'claude-sonnet-4-5', { temperature: 1, ...budget(2_000) }, 'temperature', /with thinking/],
    ['anthropic', 'claude-sonnet-4-5', { topP: 0.5, ...budget(2_000) }, 'topP', /at least 0.95/],
    ['anthropic', 'claude-sonnet-4-5', { ...forced, ...budget(2_000) }, 'toolChoice', /forced call/],
    ['anthropic', 'claude-sonnet-4-6', { ...named, ...effort('low') }, 'toolChoice', /forced call/],
    ['anthropic', 'claude-sonnet-4-5', budget(1_000), 'reasoning', /at least 1024/],
    ['anthropic', 'claude-sonnet-4-5', { ...budget(2_000), maxOutputTokens: 2_000 }, 'reasoning', /less than the 2000/],
    ['anthropic', 'claude-sonnet-4-5', effort('low'), 'reasoning', /no effort to set; or use \{ budgetTokens \}/],
    ['anthropic', 'claude-opus-4-6', effort('xhigh'), 'reasoning', /low, medium, high, max; or use/],
    ['anthropic', 'claude-opus-4-7', budget(2_000), 'reasoning', /no budget; use \{ effort \}/],
    ['anthropic', 'claude-3-5-haiku-latest', budget(2_000), 'reasoning', /does not think/],
    ['anthropic', 'claude-opus-5-5', off, 'reasoning', /always thinks/],
    ['anthropic', 'claude-mythos-preview', off, 'reasoning', /always thinks/],
    ['anthropic', 'claude-haiku-4-5', { stopSequences: [' '] }, 'stopSequences', /not a space/],
    ['anthropic', 'claude-haiku-4-5', { serviceTier: 'flex' }, 'serviceTier', /auto and standard/],
    ['anthropic', 'claude-haiku-4-5', { cache: { ttl: '24h' } }, 'cache', /5m or 1h/],
    ['anthropic', 'claude-haiku-4-5', { seed: 1 }, 'seed', /no such field/],
    ['anthropic', 'claude-haiku-4-5', { logprobs: true }, 'logprobs', /no such field/],
    ['chat', 'o3', { logprobs: true }, 'logprobs', /reasons.*leave it out$/],
    ['responses', 'gpt-5.2', { logprobs: 2 }, 'logprobs', /or set reasoning: 'off'$/],
    ['chat', 'deepseek-v4-pro', { logprobs: true }, 'logprobs', /while it thinks; .*reasoning: 'off'$/],
    ['chat', 'deepseek-reasoner', { logprobs: true }, 'logprobs', /while it thinks; leave it out$/],
    ['chat', 'mistral-large-latest', { logprobs: true }, 'logprobs', /no such field/],
    ['router', 'anthropic/claude-opus-4.7', { logprobs: true }, 'logprobs', /no such field/],
    ['gemini', 'gemini-2.0-flash', effort('low'), 'reasoning', /does not think/],
    ['gemini', 'gemini-2.5-flash', effort('low'), 'reasoning', /no levels; use \{ budgetTokens \}/],
    ['gemini', 'gemini-2.5-pro', off, 'reasoning', /always thinks/],
    ['gemini', 'gemini-2.5-pro', budget(100), 'reasoning', /128 to 32768/],
    ['gemini', 'gemini-2.5-flash-lite', budget(100), 'reasoning', /512 to 24576/],
    ['gemini', 'gemini-3-pro-preview', effort('medium'), 'reasoning', /its efforts are low, high$/],
    ['gemini', 'gemini-3.8-flash', effort('minimal'), 'reasoning', /its efforts are low, medium, high$/],
    ['gemini', 'gemini-3-flash-preview', budget(2_000), 'reasoning', /use \{ effort \}/],
    ['gemini', 'gemini-3-flash-preview', off, 'reasoning', /always thinks/],
    ['gemini', 'gemini-2.5-flash', { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stopSequences', /at most 5/],
    ['gemini', 'gemini-2.5-flash', { seed: 2 ** 31 }, 'seed', /32 bits/],
    ['gemini', 'gemini-2.5-flash', { serviceTier: 'auto' }, 'serviceTier', /standard, flex and priority/],
    ['gemini', 'gemini-2.5-flash', { parallelToolCalls: true }, 'parallelToolCalls', /no such field/],
    ['gemini', 'gemini-2.5-flash', { cache: { ttl: '1h' } }, 'cache', /cachedContent/],
  ];

/** The near neighbours of what is refused: without them a refusal of everything would pass. */
const TAKEN: readonly (readonly [api: Api, model: string, options: ModelOptions])[] = [
  ['chat', 'gpt-5.2', { temperature: 0, ...off }],
  ['responses', 'gpt-5.2', { logprobs: 2, ...off }],
  ['chat', 'deepseek-v4-pro', { logprobs: true, ...off }],
  ['router', 'mistralai/mistral-large', { logprobs: true }],
  ['gemini', 'gemini-2.5-flash', { logprobs: 20 }],
  ['chat', 'gpt-5-chat-latest', { temperature: 0, stopSequences: ['a'] }],
  ['chat', 'gpt-4o', off],
  ['responses', 'gpt-4o', { temperature: 0, ...off }],
  ['chat', 'o3', effort('high')],
  ['chat', 'gpt-5', effort('minimal')],
  ['responses', 'gpt-5.1-codex-max', effort('xhigh')],
  ['responses', 'gpt-5.6', { cache: { ttl: '30m' }, ...effort('max') }],
  ['azure', 'my-deployment', { cache: { ttl: '24h' }, ...effort('low') }],
  ['chat', 'gpt-oss-120b', { temperature: 0, ...effort('low') }],
  ['chat', 'deepseek-chat', { temperature: 0, ...forced }],
  ['chat', 'deepseek-v4-pro', { temperature: 0, ...off, ...forced }],
  ['chat', 'deepseek-v4-pro', effort('max')],
  ['chat', 'mistral-small-latest', { seed: 1, ...effort('high') }],
  ['chat', 'grok-3-mini', effort('low')],
  ['router', 'anthropic/claude-sonnet-4.5', { temperature: 0, ...budget(2_000) }],
  ['router', 'some/model', off],
  ['router', 'some/model', effort('low')],
  ['anthropic', 'claude-sonnet-4-5', { topP: 0.95, ...budget(1_024), maxOutputTokens: 1_025 }],
  ['anthropic', 'claude-opus-4-6', { ...budget(2_000), toolChoice: 'none' }],
  ['anthropic', 'claude-opus-4-7', effort('xhigh')],
  ['anthropic', 'claude-opus-5', off],
  ['anthropic', 'claude-haiku-5-5', off],
  ['anthropic', 'claude-3-5-haiku-latest', { ...off, temperature: 1, topP: 1 }],
  ['anthropic', 'claude-3-7-sonnet-latest', budget(2_000)],
  ['anthropic', 'claude-haiku-4-5', { serviceTier: 'auto', cache: { ttl: '5m' } }],
  ['gemini', 'gemini-2.0-flash', off],
  ['gemini', 'gemini-2.5-pro', budget(128)],
  ['gemini', 'gemini-2.5-flash-lite', off],
  ['gemini', 'gemini-3-flash-preview', effort('minimal')],
  ['gemini', 'gemini-flash-latest', effort('medium')],
  ['gemini', 'gemini-3.8-flash', effort('high')],
];

describe('checkOptions() of a model', () => {
  it.each(REFUSED)('refuses over %s, of %s, %j: %s', (api, model, options, option, advice) => {
    const refused = { name: 'ValidationError', field: `modelOptions.${option}`, details: { model } };

    expect(() => check(api, model, options)).toThrow(expect.objectContaining(refused));
    expect(() => check(api, model, options)).toThrow(advice);
    expect(() => check(api, model, options)).toThrow(`modelOptions.${option} is not taken by ${model}: `);
  });

  it.each(TAKEN)('takes over %s, of %s, %j', (api, model, options) => {
    expect(check(api, model, options)).toBeUndefined();
  });

  it.each<[Api, string, ModelOptions, object, string]>([
    ['chat', 'some', { temperature: 1 }, { temperature: 0 }, 'temperature and provider.extraBody.temperature'],
    ['chat', 'some', { maxOutputTokens: 9 }, { max_completion_tokens: 9 }, 'provider.extraBody.max_completion_tokens'],
    ['chat', 'glm-5', off, { thinking: { type: 'enabled' } }, 'reasoning and provider.extraBody.thinking'],
    ['responses', 'gpt-5', effort('low'), { reasoning: { effort: 'high' } }, 'provider.extraBody.reasoning.effort'],
    ['responses', 'gpt-5', effort('low'), { reasoning: null }, 'provider.extraBody.reasoning.effort'],
    ['anthropic', 'claude-haiku-4-5', budget(2_000), { thinking: { type: 'disabled' } }, 'provider.extraBody.thinking'],
    [
      'anthropic',
      'claude-haiku-4-5',
      { cache: { ttl: '1h' } },
      { cache_control: null },
      'provider.extraBody.cache_control',
    ],
    [
      'gemini',
      'gemini-2.5-pro',
      { topP: 1 },
      { generationConfig: { topP: 0 } },
      'provider.extraBody.generationConfig.topP',
    ],
  ])('refuses over %s, of %s, %j beside %j', (api, model, options, extraBody, said) => {
    const config: ProviderConfig = { ...CONFIGS[api], extraBody: extraBody as Record<string, unknown> };

    expect(() => createModel(config, model).checkOptions?.(options)).toThrow(said);
    expect(() => createModel(config, model).checkOptions?.(options)).toThrow('say the same; leave one of them out');
  });

  it('lets further fields of the service stand beside options', () => {
    const responses = createModel({ ...CONFIGS.responses, extraBody: { reasoning: { summary: 'auto' } } }, 'gpt-5');
    const claude = createModel({ ...CONFIGS.anthropic, extraBody: { metadata: {} } }, 'claude-haiku-4-5');

    expect(responses.checkOptions?.(effort('low'))).toBeUndefined();
    expect(claude.checkOptions?.({ temperature: 0 })).toBeUndefined();
  });

  it('reads the thinking that further fields ask for', () => {
    const enabled = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
    const claude = createModel({ ...CONFIGS.anthropic, extraBody: enabled }, 'claude-haiku-4-5');
    const glm = createModel({ ...CONFIGS.chat, extraBody: { thinking: { type: 'disabled' } } }, 'glm-5');

    expect(() => claude.checkOptions?.(forced)).toThrow('modelOptions.toolChoice is not taken by claude-haiku-4-5');
    expect(glm.checkOptions?.(forced)).toBeUndefined();
  });
});

describe('a request with an option that the model does not take', () => {
  it.each(Object.keys(CONFIGS) as Api[])('is refused before it leaves: %s', async (api) => {
    await using server = await wireServer({ body: '' });
    const model = createModel({ ...CONFIGS[api], baseUrl: server.url }, 'claude-opus-4-7');
    const request = { instruction: '', messages: [userMessage('Hi')], tools: [], signal: AbortSignal.timeout(9_000) };

    expect(() => model.stream({ ...request, options: forced })).toThrow(ValidationError);
    expect(() => model.stream({ ...request, options: named })).toThrow('asks claude-opus-4-7 for echo');
    expect(() => model.stream({ ...request, options: { temperature: 3 } })).toThrow('a number from 0 to 2');
    expect(server.requests).toEqual([]);
  });
});
