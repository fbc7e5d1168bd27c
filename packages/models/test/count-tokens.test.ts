import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai/web';
import { type Model, type ModelRequest, userMessage } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import { type WireAnswer, type WireServer, wireServer } from '@x/models/testing';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { echo } from './features/exchange.ts';
import { PROVIDERS, type Provider } from './features/providers.ts';

const json = { 'content-type': 'application/json' };
const KEY = 'key-4711-of-the-host';
/** Providers whose service counts, the field of its answer, and its official client. */
const COUNTING: readonly (readonly [name: string, field: string, theirs: (url: string) => Promise<unknown>])[] = [
  [
    'responses',
    'input_tokens',
    (url) =>
      new OpenAI({ apiKey: KEY, baseURL: `${url}/v1` }).responses.inputTokens.count({ model: 'gpt-5', input: 'x' }),
  ],
  [
    'anthropic',
    'input_tokens',
    (url) =>
      new Anthropic({ apiKey: KEY, baseURL: url }).messages.countTokens({
        model: 'claude-sonnet-4-5',
        messages: [{ role: 'user', content: 'x' }],
      }),
  ],
  [
    'gemini',
    'totalTokens',
    (url) =>
      new GoogleGenAI({ apiKey: KEY, apiVersion: 'v1beta', httpOptions: { baseUrl: url } }).models.countTokens({
        model: providerNamed('gemini').model,
        contents: 'x',
      }),
  ],
];
const providerNamed = (name: string): Provider => PROVIDERS.find((one) => one.name === name)!; // each is one of them
const modelOf = (
  name: string,
  { url }: Pick<WireServer, 'url'>,
  more: object = {},
  model = providerNamed(name).model,
) => createModel({ ...providerNamed(name).config(url), apiKey: KEY, ...more }, model);
const requestOf = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instruction: 'Be brief.',
  messages: [userMessage('Hello')],
  tools: [echo],
  signal: new AbortController().signal,
  ...more,
});
const count = async (model: Model, more?: Partial<ModelRequest>) => await model.countTokens!(requestOf(more)); // it counts
const answerOf = (field: string, tokens: unknown): WireAnswer => ({
  headers: json,
  body: JSON.stringify({ [field]: tokens }),
});

describe('countTokens', () => {
  it.each(COUNTING)(
    '%s: asks as the official client does, and gives what the service has counted',
    async (name, field, theirs) => {
      await using server = await wireServer(answerOf(field, 1234));

      expect(await count(modelOf(name, server))).toBe(1234);

      await theirs(server.url);
      const [ours, other] = server.requests;
      expect([ours?.method, ours?.path]).toEqual([other?.method, other?.path]);
      expect(Object.values(ours?.headers ?? {}).join()).toContain(KEY);
    },
  );

  it.each([
    ['responses', { model: 'gpt-5', tools: [{ name: 'echo' }], instructions: 'Be brief.', input: [{ role: 'user' }] }],
    [
      'anthropic',
      { model: 'claude-sonnet-4-5', tools: [{ name: 'echo' }], system: [{ text: 'Be brief.' }], messages: [{}] },
    ],
  ])('%s: sends all that counts, and nothing that is refused there', async (name, fields) => {
    await using server = await wireServer(answerOf('input_tokens', 1));

    await count(modelOf(name, server), { options: { maxOutputTokens: 2_000, toolChoice: 'auto' } });

    const body = JSON.parse(server.requests[0]?.body ?? '') as Record<string, unknown>;
    expect(body).toMatchObject(fields);
    expect(Object.keys(body).filter((key) => /stream|max|store|include|temperature/.test(key))).toEqual([]);
    expect(body).toHaveProperty('tool_choice');
  });

  it('gemini: sends the whole request inside of one about it', async () => {
    await using server = await wireServer(answerOf('totalTokens', 1));

    await count(modelOf('gemini', server));
    await count(modelOf('gemini', server, {}, 'tunedModels/mine'));

    const bodies = server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies[0]).toMatchObject({
      generateContentRequest: {
        model: `models/${providerNamed('gemini').model}`,
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [{ functionDeclarations: [{ name: 'echo' }] }],
      },
    });
    expect(bodies[1]).toMatchObject({ generateContentRequest: { model: 'tunedModels/mine' } });
    expect(server.requests.map(({ path }) => path)[1]).toBe('/v1beta/tunedModels/mine:countTokens');
  });

  it.each(['chat', 'azure-openai'])('%s: is not there, as its service does not count', (name) => {
    expect(modelOf(name, { url: 'http://127.0.0.1:9' })).not.toHaveProperty('countTokens');
  });

  it('is not there for responses on Azure', () => {
    const config: ProviderConfig = {
      type: 'azure-openai',
      apiKey: KEY,
      baseUrl: 'http://127.0.0.1:9',
      api: 'responses',
    };

    expect(createModel(config, 'gpt-5')).not.toHaveProperty('countTokens');
  });

  it.each(COUNTING.map(([name]) => name))('%s: asks with the key and the headers of each time', async (name) => {
    await using server = await wireServer({ headers: json, body: '{"input_tokens":1,"totalTokens":1}' });
    let asked = 0;
    const more = { apiKey: () => `renewed-${++asked}`, headers: { 'x-tenant': 't-1' } };
    const model = modelOf(name, server, more);

    await count(model);
    await count(model);

    expect(server.requests.map(({ headers }) => headers['x-tenant'])).toEqual(['t-1', 't-1']);
    expect(server.requests.map(({ headers }) => /renewed-\d/.exec(Object.values(headers).join())?.[0])).toEqual([
      'renewed-1',
      'renewed-2',
    ]);
  });

  it.each<[string, WireAnswer, object]>([
    [
      'a refusal',
      { status: 404, headers: json, body: '{"error":{"message":"no such path"}}' },
      { statusCode: 404, retryable: false },
    ],
    [
      'too many requests',
      { status: 429, headers: { ...json, 'retry-after': '7' }, body: '{}' },
      { retryAfter: 7, retryable: true },
    ],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, { statusCode: 302 }],
    ['a page', { body: '<html>' }, { retryable: false, message: expect.stringContaining('count of tokens') }],
    ['no count', answerOf('other', 1), { message: expect.stringContaining('count of tokens') }],
    ['a text', answerOf('input_tokens', '7'), { message: expect.stringContaining('count of tokens') }],
    ['less than none', answerOf('input_tokens', -1), { message: expect.stringContaining('count of tokens') }],
    [
      'half an answer',
      { headers: json, body: '{"input_tokens":1}', cutAt: 12 },
      { message: expect.stringContaining('count') },
    ],
    ['a connection that breaks', { cutAt: 0 }, { retryable: true, message: expect.stringContaining('connection') }],
    [
      'its key',
      { status: 401, headers: json, body: `{"error":{"message":"wrong key ${KEY}"}}` },
      { code: 'AUTHENTICATION_ERROR' },
    ],
  ])('fails with a ModelError for %s', async (_, answer, facts) => {
    await using server = await wireServer(answer);

    const failure: unknown = await count(modelOf('anthropic', server)).catch((reason: unknown) => reason);

    expect(failure).toMatchObject({ name: 'ModelError', provider: 'anthropic', ...facts });
    expect(JSON.stringify([failure, String(failure)])).not.toContain(KEY);
  });

  it.each<[string, WireAnswer]>([
    ['is not answered', { silent: true }],
    ['has begun', { headers: json, body: '{"input', hangs: true }],
  ])('ends with its signal while it %s, and closes the connection', async (_, answer) => {
    await using server = await wireServer(answer);
    const abort = new AbortController();
    const counting = count(modelOf('anthropic', server), { signal: abort.signal });
    const failure = counting.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length, { timeout: 45_000 }).toBe(1);

    abort.abort();

    expect(await failure).toMatchObject({ name: 'AbortError' });
    expect(await server.requests[0]?.settled).toBe('closed');
  });

  it('reads no more of an answer than a count can have, and closes the connection', async () => {
    await using server = await wireServer({ headers: json, body: ' '.repeat(100_000), hangs: true });

    await expect(count(modelOf('anthropic', server))).rejects.toThrow('did not answer with a count of tokens');
    expect(await server.requests[0]?.settled).toBe('closed');
  });

  it('asks nothing when its signal is aborted, or an option is not taken', async () => {
    await using server = await wireServer(answerOf('input_tokens', 1));
    const model = modelOf('anthropic', server);

    await expect(count(model, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(count(model, { options: { seed: 1 } })).rejects.toMatchObject({ field: 'modelOptions.seed' });

    expect(server.requests).toHaveLength(0);
  });

  it('says what a service is not sent in its place, as a reply is asked for', async () => {
    await using server = await wireServer(answerOf('input_tokens', 1));
    const sound = { type: 'file', mediaType: 'audio/wav', data: 'AAAA', name: 'a.wav' } as const;

    await count(modelOf('anthropic', server), { messages: [userMessage([sound])] });

    expect(server.requests[0]?.body).toContain('this model cannot read it');
  });
});
