import type { ProviderConfig } from '@x/models';
import { type WireAnswer, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { createSession, memoryStore } from '../../src/index.ts';
import { codeOf } from '../support/makers.ts';

const apiKey = 'key-4711';
const PROVIDERS: readonly [ProviderConfig['type'], (url: string) => ProviderConfig][] = [
  ['openai-compatible', (url) => ({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` })],
  ['azure-openai', (url) => ({ type: 'azure-openai', apiKey, baseUrl: url })],
  ['anthropic', (url) => ({ type: 'anthropic', apiKey, baseUrl: url })],
  ['gemini', (url) => ({ type: 'gemini', apiKey, baseUrl: url })],
];
const json = (body: object): WireAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
/** Has what each service puts into its list. */
const LIST = json({
  object: 'list',
  has_more: false,
  data: [{ id: 'model-a', display_name: 'Model A' }],
  models: [{ name: 'models/model-a', displayName: 'Model A', inputTokenLimit: 1_000 }],
});
const sessionWith = (provider: ProviderConfig) => createSession({ provider, model: 'm', store: memoryStore() });

describe.each(PROVIDERS)('supportedModels() of a session with %s', (type, config) => {
  it('lists what the service lists, with the session under its own name', async () => {
    await using server = await wireServer(LIST);
    await using session = await sessionWith(config(server.url));

    expect(await session.supportedModels()).toEqual([
      {
        id: 'model-a',
        name: expect.stringMatching(/^model-a$|^Model A$/),
        provider: type,
        ...(type === 'gemini' ? { maxTokens: 1_000 } : {}),
      },
    ]);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(apiKey);
  });

  it('rejects with a typed error, without the key in it, when the key is refused', async () => {
    await using server = await wireServer({ ...json({ error: { message: `no ${apiKey}` } }), status: 401 });
    await using session = await sessionWith(config(server.url));

    const failure = await session.supportedModels().catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: 'ModelError', statusCode: 401, retryable: false });
    expect(String(failure)).not.toContain(apiKey);
  });

  it('rejects when what comes back is no list', async () => {
    await using server = await wireServer(json({ hello: 'world' }));
    await using session = await sessionWith(config(server.url));

    expect(await codeOf(session.supportedModels())).toBe('MODEL_ERROR');
  });

  it('is ended by its signal while the service does not answer', async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await wireServer(() => (asked.resolve(), { silent: true }));
    await using session = await sessionWith(config(server.url));
    const stop = new AbortController();

    const listing = session.supportedModels({ signal: stop.signal });
    await asked.promise;
    stop.abort();

    expect(await codeOf(listing)).toBe('ABORTED');
    expect(await server.requests[0]?.settled).toBe('closed');
    expect(await codeOf(session.supportedModels({ signal: stop.signal }))).toBe('ABORTED');
  });
});
