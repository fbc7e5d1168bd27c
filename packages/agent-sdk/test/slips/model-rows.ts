import { scriptedModel } from '@x/core/testing';
import { createModel } from '@x/models';
import { type AiSdkModel, fromAiSdk } from '@x/models/ai-sdk';
import { bedrock } from '@x/models/bedrock';
import { computerTool } from '@x/models/computer';
import { checkPrices } from '@x/models/internal';
import { circuitBreaker, routedModel } from '@x/models/routing';
import { readServiceFile } from '@x/models/service-files';
import { vertex } from '@x/models/vertex';
import type { Row } from './row.ts';

const languageModel: AiSdkModel = {
  specificationVersion: 'v4',
  provider: 'acme',
  modelId: 'm',
  supportedUrls: {},
  doStream: async () => ({ stream: new ReadableStream() }),
};

/** Exports that make models. */
export const modelRows: readonly Row[] = [
  {
    name: 'models: createModel',
    path: 'provider',
    act: (options) => createModel(options, 'm'),
    valid: () => ({ type: 'openai-compatible', apiKey: 'k' }),
    keys: ['apiKey', 'baseUrl', 'headers', 'extraBody'],
    wrong: { type: 'openai', baseUrl: 7, headers: [], extraBody: 'x' },
  },
  {
    name: 'models/ai-sdk: fromAiSdk',
    act: (options) => fromAiSdk(languageModel, options),
    valid: () => ({ contextWindow: 8_192 }),
    keys: ['contextWindow', 'providerOptions', 'apiKey'],
    wrong: { contextWindow: '8192', providerOptions: [], apiKey: 7 },
  },
  {
    name: 'models/bedrock: bedrock',
    act: bedrock,
    valid: () => ({ region: 'eu-west-1' }),
    keys: ['region', 'api', 'extraBody', 'contextWindow'],
    wrong: { region: 7, client: () => undefined, api: 'chat', extraBody: [], contextWindow: '8192' },
  },
  {
    name: 'models/vertex: vertex',
    act: vertex,
    valid: () => ({ project: 'my-project', location: 'europe-west1' }),
    keys: ['location', 'accessToken', 'baseUrl', 'headers', 'extraBody', 'contextWindow'],
    wrong: { project: 7, location: 'a/b', accessToken: 'token', baseUrl: 'x', headers: { a: 1 }, extraBody: [] },
  },
  {
    name: 'models/routing: circuitBreaker',
    act: circuitBreaker,
    valid: () => ({}),
    keys: ['failures', 'windowMs', 'openMs', 'now'],
    wrong: { failures: 0, windowMs: '60', openMs: -1, now: 0 },
  },
  {
    name: 'models/routing: routedModel',
    path: 'routes[0]',
    act: (options) => routedModel([options]),
    valid: () => ({ model: scriptedModel([]) }),
    keys: ['model', 'weight'],
    wrong: { model: 'm', weight: -1 },
  },
  {
    name: 'models/routing: routedModel, second',
    act: (options) => routedModel([{ model: scriptedModel([]) }], options),
    valid: () => ({}),
    keys: ['affinity', 'random'],
    wrong: { affinity: 'session', random: 0.5 },
  },
  {
    name: 'models/computer: computerTool',
    act: computerTool,
    valid: () => ({ display: { width: 1024, height: 768 }, execute: async () => undefined }),
    keys: ['display', 'execute'],
    wrong: { display: { width: 0, height: 768 }, execute: 'click' },
  },
  {
    name: 'models/service-files: readServiceFile',
    act: (options) =>
      readServiceFile({ type: 'openai-compatible', apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }, 'c/f', options),
    valid: () => ({}),
    keys: ['signal', 'maxBytes'],
    wrong: { signal: 'now', maxBytes: 0 },
  },
  {
    name: 'models/internal: checkPrices',
    path: 'prices.m',
    act: (options) => checkPrices({ m: options }),
    valid: () => ({ input: 1, output: 2 }),
    keys: ['input', 'output', 'cacheRead'],
    wrong: { input: '1', long: 7 },
  },
];
