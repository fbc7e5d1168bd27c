import { readFileSync } from 'node:fs';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { createModel } from '../create-model.ts';
import { supportedModels } from '../list-models.ts';
import { modelContract, wireServer } from '../testing/index.ts';
import type { AzureOpenAIConfig } from '../wire/provider-config.ts';

const VERSION = '2024-10-21';
const wire = (name: string, format = 'azure-openai') =>
  readFileSync(new URL(`../../test/wire/${format}/${name}.sse`, import.meta.url), 'utf8');
const request = (): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
});
const open = (baseUrl: string, more: Partial<AzureOpenAIConfig> = {}) =>
  createModel({ type: 'azure-openai', apiKey: 'key-4711', baseUrl, ...more }, 'gpt-4o-mini');
async function sentBy(more: Partial<AzureOpenAIConfig>, path = '') {
  await using server = await wireServer({ body: wire('text') });
  await collect(open(`${server.url}${path}`, more).stream(request()));
  return server.requests[0];
}

afterEach(() => vi.unstubAllEnvs());

describe('azureModel', () => {
  it.each(modelContract({ ...CONTRACT_SUBJECTS['azure with apiVersion'], cutsPerStream: CUTS_PER_STREAM }))(
    'with apiVersion: $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  it.each(modelContract({ ...CONTRACT_SUBJECTS['azure without apiVersion'], cutsPerStream: CUTS_PER_STREAM }))(
    'without apiVersion: $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  it.each(modelContract({ ...CONTRACT_SUBJECTS['azure responses'], cutsPerStream: CUTS_PER_STREAM }))(
    'responses: $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  it('refuses what responses do not take, as at OpenAI', () => {
    const config = { type: 'azure-openai', apiKey: 'k', baseUrl: 'https://example.openai.azure.com' } as const;

    expect(() => createModel({ ...config, api: 'response' as 'responses' }, 'gpt-5')).toThrow('provider.api');
    expect(() => createModel({ ...config, api: 'responses', extraBody: { text: { format: {} } } }, 'gpt-5')).toThrow(
      'provider.extraBody.text.format',
    );
  });

  it.each(['', '/', '/openai', '/openai/v1/', '/openai/deployments/gpt-4o-mini'])(
    'asks the deployment when there is a version, and the versionless surface when there is none: %s',
    async (path) => {
      const dated = await sentBy({ apiVersion: VERSION }, path);
      const plain = await sentBy({}, path);

      expect(dated).toMatchObject({
        method: 'POST',
        path: `/openai/deployments/gpt-4o-mini/chat/completions?api-version=${VERSION}`,
      });
      expect(plain).toMatchObject({ method: 'POST', path: '/openai/v1/chat/completions' });
      for (const sent of [dated, plain]) {
        expect(sent?.headers['api-key']).toBe('key-4711');
        expect(sent?.headers).not.toHaveProperty('authorization');
      }
    },
  );

  it('tells the versionless surface its own version', async () => {
    expect((await sentBy({ apiVersion: 'preview' }))?.path).toBe('/openai/v1/chat/completions?api-version=preview');
  });

  it.each([VERSION, undefined])('lets the host set headers and fields, with version %s', async (apiVersion) => {
    const headers = { Authorization: 'Bearer token-of-entra', 'API-Key': 'other', 'x-team': 'a' };
    const sent = await sentBy({ apiVersion, headers, extraBody: { temperature: 0 } });

    expect(sent?.headers).toMatchObject({
      authorization: 'Bearer token-of-entra',
      'api-key': 'other',
      'x-team': 'a',
    });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ model: 'gpt-4o-mini', stream: true, temperature: 0 });
  });

  it.each([
    [undefined, true],
    ['2025-03-01-preview', true],
    ['2024-10-21', true],
    ['2024-09-01-preview', true],
    ['2024-08-01-preview', false],
    ['2024-06-01', false],
    ['2023-05-15', false],
  ])('asks version %s for usage: %s, because earlier ones refuse it', async (apiVersion, isAsked) => {
    const sent = await sentBy({ apiVersion });

    expect(Object.hasOwn(JSON.parse(sent?.body ?? ''), 'stream_options')).toBe(isAsked);
  });

  it('takes nothing from the environment but the key', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/elsewhere');
    vi.stubEnv('OPENAI_API_VERSION', '2023-05-15');
    vi.stubEnv('OPENAI_ORG_ID', 'org-1');
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', 'http://127.0.0.1:9');

    const sent = [await sentBy({ apiVersion: VERSION }), await sentBy({})];

    for (const each of sent) expect(each?.headers).not.toHaveProperty('openai-organization');
  });

  it('reads text with the results of the content filter, whenever they come', async () => {
    for (const name of ['text', 'text-filtered-later']) {
      await using server = await wireServer({ body: wire(name) });

      const { value } = await collect(open(server.url).stream(request()));

      expect(value).toMatchObject({
        content: [{ type: 'text', text: 'Hello, w\u00f6rld \u{1F30D}!' }],
        stopReason: 'end',
        usage: { inputTokens: 120, outputTokens: 34, cacheReadTokens: 64, reasoningTokens: 8 },
      });
    }
  });

  it('takes a filtered reply for a refusal', async () => {
    await using server = await wireServer({ body: wire('content-filter') });

    const { value } = await collect(open(server.url).stream(request()));

    expect(value).toMatchObject({ content: [{ text: 'Well' }], stopReason: 'refusal' });
  });

  it('fails for good when the prompt is filtered, and names the request', async () => {
    const error = {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true } } },
    };
    const headers = { 'content-type': 'application/json', 'apim-request-id': 'apim-1' };
    await using server = await wireServer({ status: 400, headers, body: JSON.stringify({ error }) });

    await expect(collect(open(server.url).stream(request()))).rejects.toMatchObject({
      name: 'ModelError',
      statusCode: 400,
      retryable: false,
      requestId: 'apim-1',
      details: { code: 'content_filter', param: 'prompt' },
    });
  });

  it('fails for good when the filter ends a stream with an error', async () => {
    await using server = await wireServer({ body: wire('filter-error-in-stream') });

    await expect(collect(open(server.url).stream(request()))).rejects.toMatchObject({
      name: 'ModelError',
      retryable: false,
      details: { code: 'content_filter' },
    });
  });

  it('names requests by x-ms-request-id, and waits as long as it is asked to', async () => {
    const headers = { 'content-type': 'application/json', 'x-ms-request-id': 'ms-1', 'retry-after': '9' };
    const body = JSON.stringify({ error: { code: '429', message: 'Requests have exceeded the call rate limit.' } });
    await using server = await wireServer({ status: 429, headers, body });

    await expect(collect(open(server.url, { apiVersion: VERSION }).stream(request()))).rejects.toMatchObject({
      statusCode: 429,
      retryable: true,
      retryAfter: 9,
      requestId: 'ms-1',
    });
  });
});

describe('azureModels', () => {
  it.each([
    [VERSION, `/openai/models?api-version=${VERSION}`],
    [undefined, '/openai/v1/models'],
  ])('lists what the resource may deploy, with version %s', async (apiVersion, path) => {
    const body = JSON.stringify({
      object: 'list',
      data: [{ id: 'gpt-4o-mini', object: 'model', status: 'succeeded' }],
    });
    await using server = await wireServer({ headers: { 'content-type': 'application/json' }, body });

    const models = await supportedModels({ type: 'azure-openai', apiKey: 'key-4711', baseUrl: server.url, apiVersion });

    expect(models).toEqual([{ id: 'gpt-4o-mini', name: 'gpt-4o-mini', provider: 'azure-openai' }]);
    expect(server.requests[0]).toMatchObject({ method: 'GET', path, headers: { 'api-key': 'key-4711' } });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});
