import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { createModel } from '../create-model.ts';
import { modelContract, wireServer } from '../testing/index.ts';
import type { GeminiConfig } from '../wire/provider-config.ts';

const ask = (config: Partial<GeminiConfig>, name = 'gemini-2.5-flash') => {
  const { signal } = new AbortController();
  const model = createModel({ type: 'gemini', apiKey: 'key-4711', ...config }, name);
  return collect(model.stream({ instruction: 'Be brief.', messages: [userMessage('Hi')], tools: [], signal }));
};

afterEach(() => vi.unstubAllEnvs());

describe('geminiModel', () => {
  const cases = modelContract({ ...CONTRACT_SUBJECTS.gemini, cutsPerStream: CUTS_PER_STREAM });

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it.each([
    ['gemini-2.5-flash', '', '/v1beta/models/gemini-2.5-flash'],
    ['models/gemini-2.5-flash', '', '/v1beta/models/gemini-2.5-flash'],
    ['tunedModels/mine-17', '', '/v1beta/tunedModels/mine-17'],
    ['gemini-2.5-flash', '/gateway/', '/gateway/v1beta/models/gemini-2.5-flash'],
  ])('asks %s below %j at %s', async (name, below, path) => {
    await using server = await wireServer({ body: wire('text') });

    await ask({ baseUrl: `${server.url}${below}` }, name);

    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: `${path}:streamGenerateContent?alt=sse`,
      headers: { 'content-type': 'application/json', 'x-goog-api-key': 'key-4711' },
    });
  });

  it('sets the headers of the host over those of the client, however they are spelt', async () => {
    await using server = await wireServer({ body: wire('text') });

    await ask({ baseUrl: server.url, headers: { 'USER-AGENT': 'mine', 'X-Goog-Api-Key': 'other', 'x-team': 'a' } });

    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'mine',
      'x-goog-api-key': 'other',
      'x-team': 'a',
    });
  });

  it('takes nothing from the variables that other clients of the service read, and warns of nothing', async () => {
    await using server = await wireServer({ body: wire('text') });
    const warned = vi.spyOn(console, 'warn');
    const variables = {
      GOOGLE_API_KEY: 'wrong',
      GEMINI_API_KEY: 'wrong',
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_CLOUD_PROJECT: 'p',
      GOOGLE_CLOUD_LOCATION: 'l',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9',
      GOOGLE_VERTEX_BASE_URL: 'http://127.0.0.1:9',
      GOOGLE_GENAI_API_VERSION: 'v0',
    };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);

    await ask({ baseUrl: server.url });

    expect(server.requests[0]).toMatchObject({
      path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      headers: { 'x-goog-api-key': 'key-4711' },
    });
    expect(warned).not.toHaveBeenCalled();
  });

  it.each(['../secrets', 'a?b', 'a&b', 'a b', 'a#b', 'a%2fb'])('refuses the name %j', (name) => {
    expect(() => createModel({ type: 'gemini', apiKey: 'k' }, name)).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'model' }),
    );
  });

  it.each([
    [{ contents: [] }, 'contents'],
    [{ tools: [] }, 'tools'],
    [{ systemInstruction: {} }, 'systemInstruction'],
    [{ system_instruction: {} }, 'system_instruction'],
    [{ generationConfig: { responseJsonSchema: {} } }, 'generationConfig.responseJsonSchema'],
    [{ generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount'],
  ])('refuses the extra body %j', (extraBody, field) => {
    expect(() => createModel({ type: 'gemini', apiKey: 'k', extraBody }, 'gemini-2.5-flash')).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: `provider.extraBody.${field}` }),
    );
  });

  it('says what is wrong with a key that is not for this', async () => {
    await expect(ask({ apiKey: 'auth_tokens/x', baseUrl: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('Ephemeral tokens'),
    });
  });

  it.each([
    [400, 'INVALID_ARGUMENT', false],
    [400, 'FAILED_PRECONDITION', false],
    [401, 'UNAUTHENTICATED', false],
    [403, 'PERMISSION_DENIED', false],
    [404, 'NOT_FOUND', false],
    [429, 'RESOURCE_EXHAUSTED', true],
    [500, 'INTERNAL', true],
    [503, 'UNAVAILABLE', true],
    [504, 'DEADLINE_EXCEEDED', true],
  ])('fails with %i %s as Google answers it, alone or in a list', async (code, status, retryable) => {
    const delay = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '19.25s' };
    const answer = { error: { code, message: 'No, key-4711.', status, details: code === 429 ? [delay] : [] } };
    for (const body of [JSON.stringify(answer, null, 2), JSON.stringify([answer])]) {
      await using server = await wireServer({ status: code, headers: { 'content-type': 'application/json' }, body });

      const error = await ask({ baseUrl: server.url }).then(
        () => new Error('it did not fail'),
        (failure: Error) => failure,
      );

      expect(error).toMatchObject({
        name: 'ModelError',
        statusCode: code,
        retryable,
        message: `gemini answered ${code}: No, ***.`,
        details: { type: status, code: String(code) },
        ...(code === 429 ? { retryAfter: 19.25 } : {}),
      });
    }
  });

  it('knows the answer that the prompt is too long', async () => {
    const message = 'The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).';
    const body = JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
    await using server = await wireServer({ status: 400, headers: { 'content-type': 'application/json' }, body });

    await expect(ask({ baseUrl: server.url })).rejects.toMatchObject({ contextOverflow: true, retryable: false });
  });

  it('loads its own client alone, on first use', async () => {
    const script = `
      const loaded = [];
      const { createModel } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
      const hook = (await import('node:module')).registerHooks({
        load(url, context, next) { loaded.push(url); return next(url, context); },
      });
      const model = createModel({ type: 'gemini', apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }, 'gemini-2.5-flash');
      const before = loaded.length;
      const { signal } = new AbortController();
      await model.stream({ instruction: '', messages: [], tools: [], signal }).next().catch(() => {});
      hook.deregister();
      const vendors = ['openai', '@anthropic-ai/sdk', '@google/genai'];
      const used = vendors.filter((name) => loaded.some((url) => url.includes('/node_modules/' + name + '/')));
      const files = loaded.filter((url) => url.includes('/node_modules/@google/genai/')).length;
      console.log(JSON.stringify({ before, used, files }));`;
    const flags = ['--conditions=@x/source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
    const cwd = fileURLToPath(new URL('../..', import.meta.url));

    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', script], { cwd });

    expect(JSON.parse(stdout)).toEqual({ before: 0, used: ['@google/genai'], files: 1 });
  });
});

function wire(name: string): string {
  return readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url), 'utf8');
}
