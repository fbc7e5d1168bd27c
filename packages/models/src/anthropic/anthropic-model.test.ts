import { readFileSync } from 'node:fs';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { createModel } from '../create-model.ts';
import { supportedModels } from '../list-models.ts';
import { modelContract, type WireAnswer, wireServer } from '../testing/index.ts';
import type { AnthropicConfig } from '../wire/provider-config.ts';

const wire = (name: string) => readFileSync(new URL(`../../test/wire/anthropic/${name}.sse`, import.meta.url), 'utf8');
const json = { 'content-type': 'application/json' };
const config = (url: string, more: Partial<AnthropicConfig> = {}): AnthropicConfig => {
  return { type: 'anthropic', apiKey: 'sk-ant-4711', baseUrl: url, ...more };
};
const request = (): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [],
  signal: new AbortController().signal,
});
const ask = (settings: AnthropicConfig) => collect(createModel(settings, 'claude-opus-5-5').stream(request()));

afterEach(() => vi.unstubAllEnvs());

describe('anthropicModel', () => {
  const cases = modelContract({ ...CONTRACT_SUBJECTS.anthropic, cutsPerStream: CUTS_PER_STREAM });

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe('anthropicModel for a model without an output mode of its own', () => {
  const subject = CONTRACT_SUBJECTS['anthropic with a final tool'];
  const cases = modelContract({ ...subject, cutsPerStream: CUTS_PER_STREAM });

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe('anthropicModel and what surrounds it', () => {
  it('takes nothing from the environment but the key', async () => {
    const away = 'http://127.0.0.1:9';
    const variables = {
      ANTHROPIC_BASE_URL: away,
      ANTHROPIC_AUTH_TOKEN: 'token-of-another',
      ANTHROPIC_CUSTOM_HEADERS: 'X-Foreign: 1\nanthropic-version: 1999-01-01\nx-api-key: other',
      ANTHROPIC_PROFILE: 'nobody',
      ANTHROPIC_LOG: 'debug',
      ANTHROPIC_WEBHOOK_SIGNING_KEY: 'whsec',
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const log = vi.spyOn(console, 'log');
    await using server = await wireServer({ body: wire('text') });

    await ask(config(server.url));

    const headers = server.requests[0]?.headers ?? {};
    expect(headers).toMatchObject({ 'x-api-key': 'sk-ant-4711', authorization: 'Bearer sk-ant-4711' });
    expect(headers['x-foreign']).toBeUndefined();
    expect(headers['anthropic-version']).not.toBe('1999-01-01');
    expect(log).not.toHaveBeenCalled();
  });

  it('sends the headers of the configuration over those of the client', async () => {
    await using server = await wireServer({ body: wire('text') });

    await ask(config(server.url, { headers: { 'X-Api-Key': 'mine', 'anthropic-beta': 'context-1m-2025-08-07' } }));

    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': 'mine',
      'anthropic-beta': 'context-1m-2025-08-07',
    });
  });

  it.each([
    [{ system: 'x' }, 'provider.extraBody.system'],
    [{ tools: [] }, 'provider.extraBody.tools'],
    [{ output_config: { format: {} } }, 'provider.extraBody.output_config.format'],
  ])('refuses %j, which requests set themselves', (extraBody, field) => {
    expect(() => createModel(config('http://127.0.0.1:9', { extraBody }), 'm')).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field }),
    );
  });
});

describe('anthropicModel when the service refuses', () => {
  const refusal = (status: number, type: string, more: Record<string, string> = {}): WireAnswer => ({
    status,
    headers: { ...json, 'request-id': 'req_4711', ...more },
    body: JSON.stringify({ type: 'error', error: { type, message: 'no, sk-ant-4711' }, request_id: 'req_4711' }),
  });

  it.each([
    [400, 'invalid_request_error', false],
    [401, 'authentication_error', false],
    [403, 'permission_error', false],
    [404, 'not_found_error', false],
    [413, 'request_too_large', false],
    [429, 'rate_limit_error', true],
    [500, 'api_error', true],
    [529, 'overloaded_error', true],
  ])('%i %s: to be tried again %s', async (status, type, retryable) => {
    await using server = await wireServer(refusal(status, type, { 'retry-after': '3' }));

    const error = await ask(config(server.url)).catch((failure: unknown) => failure);

    const facts = { name: 'ModelError', statusCode: status, retryable, requestId: 'req_4711', details: { type } };
    expect(error).toMatchObject({ ...facts, retryAfter: 3, message: expect.stringContaining('no, ***') });
    expect(server.requests.length).toBe(1);
  });
});

describe('supportedModels of anthropic', () => {
  const page = (ids: readonly string[], more: object): WireAnswer => ({
    headers: json,
    body: JSON.stringify({
      data: ids.map((id) => ({
        type: 'model',
        id,
        display_name: id.toUpperCase(),
        max_input_tokens: id === 'a' ? 1_000_000 : null,
      })),
      has_more: false,
      first_id: ids[0],
      last_id: ids.at(-1),
      ...more,
    }),
  });

  it('turns every page', async () => {
    await using server = await wireServer([page(['a', 'b'], { has_more: true }), page(['c'], {})]);

    expect(await supportedModels(config(server.url))).toEqual([
      { id: 'a', name: 'A', maxTokens: 1_000_000, provider: 'anthropic' },
      { id: 'b', name: 'B', provider: 'anthropic' },
      { id: 'c', name: 'C', provider: 'anthropic' },
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=b',
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-4711' });
  });

  it('fails as a model does', async () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
    });
    await using server = await wireServer({ status: 401, headers: { ...json, 'request-id': 'req_1' }, body });

    await expect(supportedModels(config(server.url))).rejects.toMatchObject({
      name: 'ModelError',
      statusCode: 401,
      retryable: false,
      requestId: 'req_1',
      details: { type: 'authentication_error' },
    });
  });
});
