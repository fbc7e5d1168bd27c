import { inspect } from 'node:util';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig, supportedModels } from '@x/models';
import { type WireScript, type WireServer, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { CONTRACT_SUBJECTS } from './contract-subjects.ts';

type Access = Pick<ProviderConfig, 'apiKey' | 'headers'>;
interface Provider {
  readonly name: string;
  readonly model: string;
  readonly body: string;
  /** The header of the key, and what stands before it. */
  readonly auth: readonly [header: string, before: string];
  readonly config: (url: string) => ProviderConfig;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: 'chat',
    model: 'gpt-4o-mini',
    body: CONTRACT_SUBJECTS.chat.streams.text,
    auth: ['authorization', 'Bearer '],
    config: (url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1` }),
  },
  {
    name: 'responses',
    model: 'gpt-5',
    body: CONTRACT_SUBJECTS.responses.streams.text,
    auth: ['authorization', 'Bearer '],
    config: (url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1`, api: 'responses' }),
  },
  {
    name: 'anthropic',
    model: 'claude-sonnet-4-5',
    body: CONTRACT_SUBJECTS.anthropic.streams.text,
    auth: ['x-api-key', ''],
    config: (url) => ({ type: 'anthropic', baseUrl: url }),
  },
  {
    name: 'gemini',
    model: 'gemini-2.5-flash',
    body: CONTRACT_SUBJECTS.gemini.streams.text,
    auth: ['x-goog-api-key', ''],
    config: (url) => ({ type: 'gemini', baseUrl: url }),
  },
  {
    name: 'azure-openai',
    model: 'any',
    body: CONTRACT_SUBJECTS['azure without apiVersion'].streams.text,
    auth: ['api-key', ''],
    config: (url) => ({ type: 'azure-openai', baseUrl: url }),
  },
];
const CHAT = PROVIDERS[0]!; // the first of the list above
const JSON_TYPE = { 'content-type': 'application/json' };

/** Works with a model at a server of its own. */
async function at<T>(
  script: WireScript,
  { config, model }: Provider,
  access: Access,
  work: (ask: (asked?: Partial<ModelRequest>) => Promise<unknown>, server: WireServer) => Promise<T>,
): Promise<T> {
  const server = await wireServer(script);
  try {
    const own = createModel({ ...config(server.url), ...access }, model);
    const ask = (asked: Partial<ModelRequest> = {}) => {
      const { signal } = new AbortController();
      return collect(own.stream({ instruction: '', messages: [userMessage('Hi')], tools: [], signal, ...asked }));
    };
    return await work(ask, server);
  } finally {
    await server.close();
  }
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((failure: unknown) => failure);

describe.each(PROVIDERS)('key and headers of $name as functions', (provider) => {
  const [header, before] = provider.auth;

  it('are asked for each request, with its signal', async () => {
    const signals: AbortSignal[] = [];
    let number = 0;
    const access: Access = {
      apiKey({ signal }) {
        signals.push(signal);
        return `renewed-key-${++number}`;
      },
      headers: async () => ({ 'x-turn': `turn ${number}` }),
    };
    const { signal } = new AbortController();

    const sent = await at({ body: provider.body }, provider, access, async (ask, { requests }) => {
      await ask({ signal });
      await ask();
      return requests.map(({ headers }) => [headers[header], headers['x-turn']]);
    });

    expect(sent).toEqual([
      [`${before}renewed-key-1`, 'turn 1'],
      [`${before}renewed-key-2`, 'turn 2'],
    ]);
    expect(signals[0]).toBe(signal);
  });

  it('are those of now, also when one object is changed and given again', async () => {
    const given = { 'x-turn': 'one' };
    const access: Access = { apiKey: 'renewed-key', headers: () => given };

    const sent = await at({ body: provider.body }, provider, access, async (ask, { requests }) => {
      await ask();
      given['x-turn'] = 'two';
      await ask();
      return requests.map(({ headers }) => headers['x-turn']);
    });

    expect(sent).toEqual(['one', 'two']);
  });

  it('are not seen in errors', async () => {
    const access: Access = {
      apiKey: async () => 'renewed-key-4711',
      headers: () => ({ 'x-auth-token': 'Token token-of-the-header' }),
    };
    const body = JSON.stringify({ error: { message: 'renewed-key-4711 and token-of-the-header are wrong' } });

    const error = await at({ status: 401, headers: JSON_TYPE, body }, provider, access, (ask) => failureOf(ask()));

    expect(error).toMatchObject({ code: 'AUTHENTICATION_ERROR', message: expect.stringContaining('*** and *** are') });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/4711|token-of-the-header/);
  });

  it('list models too', async () => {
    const list = provider.name === 'gemini' ? { models: [] } : { data: [] };
    const server = await wireServer({ headers: JSON_TYPE, body: JSON.stringify(list) });
    const access: Access = { apiKey: async () => 'renewed-key-1', headers: () => ({ 'x-turn': 'list' }) };
    try {
      await supportedModels({ ...provider.config(server.url), ...access });

      expect(server.requests[0]?.headers).toMatchObject({ [header]: `${before}renewed-key-1`, 'x-turn': 'list' });
    } finally {
      await server.close();
    }
  });
});

describe('a function of the host', () => {
  const ask = (access: Access, asked: Partial<ModelRequest> = {}) =>
    at({ body: CHAT.body }, CHAT, access, async (send, { requests }) => [
      await failureOf(send(asked)),
      requests.length,
    ]);
  const failing = (error: unknown) => () => Promise.reject(error);

  it.each<[string, unknown]>([
    ['a number', 7],
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['white space', '  '],
    ['two words', 'a b'],
    ['a line break', 'key\n'],
    ['an object', { apiKey: 'k' }],
    ['bytes', Buffer.from('key')],
    ['a function', () => 'key'],
  ])('that gives %s as the key fails the request', async (_what, key) => {
    const [error, requests] = await ask({ apiKey: (async () => key) as never });

    expect(error).toMatchObject({ name: 'ModelError', code: 'AUTHENTICATION_ERROR', retryable: false });
    expect(String(error)).toContain('provider.apiKey must return a key');
    expect(requests).toBe(0);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['a text', 'authorization: x'],
    ['a number as a value', { 'x-a': 7 }],
    ['a line break in a value', { 'x-a': 'b\nc: d' }],
    ['a space in a name', { 'x a': 'b' }],
  ])('that gives %s as headers fails the request', async (_what, headers) => {
    const [error, requests] = await ask({ apiKey: 'k', headers: (() => headers) as never });

    expect(error).toMatchObject({ name: 'ModelError', code: 'AUTHENTICATION_ERROR', retryable: false });
    expect(String(error)).toContain('provider.headers()');
    expect(requests).toBe(0);
  });

  it.each<[string, unknown, boolean]>([
    ['an error', new Error('no token'), false],
    ['an error that says so', Object.assign(new Error('no token'), { retryable: true }), true],
    ['a broken connection', Object.assign(new Error('no token'), { code: 'ECONNRESET' }), true],
    ['a text', 'no token', false],
  ])('that fails with %s fails the request, to be retried where that says so', async (_what, failure, retryable) => {
    const [error] = await ask({ apiKey: failing(failure) });

    expect(error).toMatchObject({
      code: 'AUTHENTICATION_ERROR',
      message: 'provider.apiKey has failed: no token',
      retryable,
    });
    expect(error).not.toHaveProperty('cause');
  });

  it('that fails with a key it gave before does not show it', async () => {
    let number = 0;
    const apiKey = () => {
      if (++number > 1) throw new Error('renewed-key-4711 has expired');
      return 'renewed-key-4711';
    };

    const error = await at({ body: CHAT.body }, CHAT, { apiKey }, async (send) => {
      await send();
      return await failureOf(send());
    });

    expect(error).toMatchObject({ message: 'provider.apiKey has failed: *** has expired' });
  });

  it('that never answers is left when the request is aborted', async () => {
    const controller = new AbortController();
    const asked = ask(
      { headers: () => new Promise<never>(() => undefined), apiKey: 'k' },
      { signal: controller.signal },
    );
    controller.abort();

    expect((await asked)[0]).toMatchObject({ code: 'ABORTED' });
  });

  it('that throws because of the abort is an abort', async () => {
    const controller = new AbortController();
    const apiKey = () => {
      controller.abort();
      throw new Error('aborted');
    };

    expect((await ask({ apiKey }, { signal: controller.signal }))[0]).toMatchObject({ code: 'ABORTED' });
  });

  it.each<[string, Access]>([
    ['a promise of a key', { apiKey: Promise.resolve('k') as never }],
    ['a number', { apiKey: 7 as never }],
    ['a list', { apiKey: ['k'] as never }],
    ['null', { apiKey: null as never }],
    ['headers as a promise', { apiKey: 'k', headers: Promise.resolve({}) as never }],
    ['headers as a text', { apiKey: 'k', headers: 'a: b' as never }],
    ['headers as a list of functions', { apiKey: 'k', headers: [() => ({})] as never }],
    ['a header as a function', { apiKey: 'k', headers: { authorization: (() => 'x') as never } }],
  ])('in the shape of %s is refused at creation', (_what, access) => {
    expect(() => createModel({ type: 'anthropic', ...access }, 'claude')).toThrow(
      /^provider\.(apiKey|headers)\S* must be/,
    );
  });
});
