import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModel } from './create-model.ts';
import { supportedModels } from './list-models.ts';
import { wireServer } from './testing/index.ts';
import type { ProviderConfig } from './wire/provider-config.ts';

afterEach(() => vi.unstubAllEnvs());

describe('createModel', () => {
  it.each([
    ['gpt-4o-mini', 128_000],
    ['gpt-5.1', 400_000],
    ['openai/gpt-4.1-nano', 1_047_576],
    ['o3-mini', 200_000],
    ['something-else', 128_000],
    ['claude-sonnet-4-5-20250929', 200_000],
    ['claude-opus-4-20250514', 200_000],
    ['claude-3-7-sonnet-latest', 200_000],
    ['anthropic/claude-opus-5-5', 1_000_000],
    ['gemini-2.5-flash', 1_048_576],
  ])('says what %s is and how much it takes', (name, contextWindow) => {
    const model = createModel({ type: 'openai-compatible', apiKey: 'k' }, name);

    expect(model).toMatchObject({ provider: 'openai-compatible', name, contextWindow });
  });

  it('refuses an empty name', () => {
    expect(() => createModel({ type: 'openai-compatible', apiKey: 'k' }, ' ')).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'model' }),
    );
  });

  it('names the variable when there is no key', () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);

    expect(() => createModel({ type: 'openai-compatible' }, 'm')).toThrowError(
      expect.objectContaining({ code: 'AUTHENTICATION_ERROR', message: expect.stringContaining('OPENAI_API_KEY') }),
    );
  });

  it('loads neither a vendor client nor a transport', async () => {
    const script = `
      const { createModel } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
      createModel({ type: 'openai-compatible', apiKey: 'k' }, 'm');
      const { createRequire } = await import('node:module');
      const loaded = process.moduleLoadList.filter((name) => /undici|NativeModule https?$/.test(name));
      console.log(JSON.stringify({ loaded, files: Object.keys(createRequire(import.meta.url).cache) }));`;
    const flags = [
      '--conditions=@x/source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script,
    ];
    const cwd = fileURLToPath(new URL('..', import.meta.url));

    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd });

    expect(JSON.parse(stdout)).toEqual({ loaded: [], files: [] });
  });
});

const everyProvider = (url: string): readonly ProviderConfig[] => [
  { type: 'openai-compatible', apiKey: 'sk-4711-key', baseUrl: `${url}/v1` },
  { type: 'anthropic', apiKey: 'sk-4711-key', baseUrl: url },
  { type: 'gemini', apiKey: 'sk-4711-key', baseUrl: url },
  { type: 'azure-openai', apiKey: 'sk-4711-key', baseUrl: url },
  { type: 'azure-openai', apiKey: 'sk-4711-key', baseUrl: url, apiVersion: '2024-10-21' },
];

describe('supportedModels', () => {
  const json = { 'content-type': 'application/json' };
  const list = JSON.stringify({
    object: 'list',
    data: [
      { id: 'a', object: 'model' },
      { id: 'b', object: 'model' },
    ],
  });
  const configOf = (url: string): ProviderConfig => ({
    type: 'openai-compatible',
    apiKey: 'sk-4711-key',
    baseUrl: `${url}/v1`,
  });

  it('tells what the service offers', async () => {
    await using server = await wireServer({ headers: json, body: list });

    expect(await supportedModels(configOf(server.url))).toEqual([
      { id: 'a', name: 'a', provider: 'openai-compatible' },
      { id: 'b', name: 'b', provider: 'openai-compatible' },
    ]);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/v1/models',
      headers: { authorization: 'Bearer sk-4711-key' },
    });
  });

  it.each([
    [401, false],
    [503, true],
  ])('fails with status %i, once, as a model does', async (status, retryable) => {
    const body = JSON.stringify({ error: { message: 'bad key sk-4711-key', code: 'c' } });
    await using server = await wireServer({ status, headers: { ...json, 'retry-after': '2' }, body });

    const error = await supportedModels(configOf(server.url)).then(
      () => new Error('it did not fail'),
      (failure: Error) => failure,
    );

    expect(error).toMatchObject({
      name: 'ModelError',
      statusCode: status,
      retryable,
      retryAfter: 2,
      details: { code: 'c' },
    });
    expect(`${error.message}${JSON.stringify(error)}`).not.toContain('sk-4711-key');
    expect(server.requests.length).toBe(1);
  });

  it.each([
    ['a page for people', { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
    ['nothing', { headers: json, body: '{}' }],
    ['no list', { headers: json, body: '{"data":"x"}' }],
    ['entries without a name', { headers: json, body: '{"data":[{"object":"model"},null]}' }],
  ])('is a typed error for %s', async (_, answer) => {
    await using server = await wireServer(answer);

    const wrong = expect.objectContaining({
      name: 'ModelError',
      retryable: false,
      message: expect.stringContaining('list of models'),
    });
    for (const config of everyProvider(server.url)) {
      const outcome = await supportedModels(config).catch((error: unknown) => error);
      const isEmpty = config.type === 'gemini' && answer.body === '{}'; // Gemini leaves an empty list out
      expect(outcome).toEqual(isEmpty ? [] : wrong);
    }
  });

  it('takes the key to no other address', async () => {
    await using elsewhere = await wireServer({ headers: json, body: list });
    await using server = await wireServer({ status: 307, headers: { location: elsewhere.url } });

    for (const config of everyProvider(server.url)) {
      await expect(supportedModels(config)).rejects.toMatchObject({ name: 'ModelError', statusCode: 307 });
    }

    expect(elsewhere.requests).toEqual([]);
  });

  it('gives up on a list without an end', async () => {
    const page = {
      data: [{ id: 'a' }],
      models: [{ name: 'models/a' }],
      has_more: true,
      last_id: 'a',
      nextPageToken: 't',
    };
    await using server = await wireServer({ headers: json, body: JSON.stringify(page) });
    const endless = everyProvider(server.url).filter(({ type }) => type === 'anthropic' || type === 'gemini');

    for (const config of endless) {
      await expect(supportedModels(config)).rejects.toMatchObject({ name: 'ModelError', retryable: false });
    }

    expect(server.requests.length).toBe(2 * 100);
  });

  it('stops when its signal is aborted', async () => {
    await using server = await wireServer({ headers: json, hangs: true });
    const controller = new AbortController();

    const models = supportedModels(configOf(server.url), { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);

    await expect(models).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
