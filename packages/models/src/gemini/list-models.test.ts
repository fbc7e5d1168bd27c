import { describe, expect, it } from 'vitest';
import { supportedModels } from '../list-models.ts';
import { wireServer } from '../testing/index.ts';

const json = { 'content-type': 'application/json' };
const page = (models: readonly object[], nextPageToken?: string) => ({
  headers: json,
  body: JSON.stringify({ models, nextPageToken }),
});

describe('geminiModels', () => {
  it('tells which models answer in text, from all pages', async () => {
    const generates = { supportedGenerationMethods: ['generateContent', 'countTokens'] };
    const flash = { name: 'models/gemini-2.5-flash', displayName: 'Gemini 2.5 Flash', inputTokenLimit: 1048576 };
    const embedding = { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] };
    await using server = await wireServer([
      page([{ ...flash, ...generates }, embedding], 'more'),
      page([{ name: 'tunedModels/mine', ...generates }, { name: 'models/plain' }]),
    ]);

    const models = await supportedModels({
      type: 'gemini',
      apiKey: 'key-4711',
      baseUrl: server.url,
      headers: { 'X-Team': 'a' },
    });

    expect(models).toEqual([
      { id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash', maxTokens: 1048576, provider: 'gemini' },
      { id: 'tunedModels/mine', name: 'tunedModels/mine', provider: 'gemini' },
      { id: 'plain', name: 'plain', provider: 'gemini' },
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1beta/models?pageSize=1000',
      '/v1beta/models?pageSize=1000&pageToken=more',
    ]);
    expect(server.requests[1]?.headers).toMatchObject({ 'x-goog-api-key': 'key-4711', 'x-team': 'a' });
  });

  it.each([
    [401, 'UNAUTHENTICATED', false],
    [429, 'RESOURCE_EXHAUSTED', true],
    [503, 'UNAVAILABLE', true],
  ])('fails with status %i, once, as a model does', async (code, status, retryable) => {
    const body = JSON.stringify([{ error: { code, message: 'bad key key-4711', status } }]);
    await using server = await wireServer({ status: code, headers: { ...json, 'retry-after': '2' }, body });

    const error = await supportedModels({ type: 'gemini', apiKey: 'key-4711', baseUrl: server.url }).then(
      () => new Error('it did not fail'),
      (failure: Error) => failure,
    );

    expect(error).toMatchObject({
      name: 'ModelError',
      statusCode: code,
      retryable,
      retryAfter: 2,
      details: { type: status },
    });
    expect(`${error.message}${JSON.stringify(error)}`).not.toContain('key-4711');
    expect(server.requests.length).toBe(1);
  });

  it('stops when its signal is aborted', async () => {
    await using server = await wireServer({ headers: json, hangs: true });
    const controller = new AbortController();

    const models = supportedModels({ type: 'gemini', apiKey: 'k', baseUrl: server.url }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);

    await expect(models).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
