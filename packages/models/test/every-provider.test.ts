import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ModelRequest, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig, supportedModels } from '@x/models';
import { type WireServer, wireServer } from '@x/models/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADDRESSES } from './wire-addresses.ts';

const KEY = 'key-4711';
const NODE_FLAGS = ['--conditions=@x/source', '--disable-warning=ExperimentalWarning'];
const OTHERS = {
  OPENAI_BASE_URL: 'http://127.0.0.1:9/elsewhere',
  OPENAI_ORG_ID: 'org-elsewhere',
  OPENAI_PROJECT_ID: 'project-elsewhere',
  OPENAI_API_VERSION: '1999-01-01',
  OPENAI_CUSTOM_HEADERS: 'x-elsewhere: 1',
  AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:9/elsewhere',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/elsewhere',
  ANTHROPIC_AUTH_TOKEN: 'token-elsewhere',
  ANTHROPIC_CUSTOM_HEADERS: 'x-elsewhere: 1',
  GOOGLE_API_KEY: 'google-elsewhere',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9/elsewhere',
};

/** What one failing request has sent. */
async function sent(server: WireServer, config: ProviderConfig, model: string, more: Partial<ModelRequest> = {}) {
  const { signal } = new AbortController();
  const request = { instruction: 'Be brief.', messages: [userMessage('Hello')], tools: [], signal, ...more };
  await expect(collect(createModel(config, model).stream(request))).rejects.toMatchObject({ name: 'ModelError' });
  const { path, headers, body } = server.requests.at(-1)!; // it was refused, so it had come
  return { path, headers, body: JSON.parse(body) as Record<string, unknown>, text: body };
}
const refusing = () => wireServer({ status: 400, headers: { 'content-type': 'application/json' }, body: '{}' });

afterEach(() => vi.unstubAllEnvs());

describe.each(ADDRESSES)('%s', (_name, { config, model, path, auth, variable, client, reserved }) => {
  it('sends to its path, with its key in its header', async () => {
    await using server = await refusing();

    const request = await sent(server, { ...config(server.url), apiKey: KEY }, model);

    expect(request.path).toBe(path);
    expect(request.headers[auth[0]]).toBe(auth[1] + KEY);
    expect(request.headers['content-type']).toBe('application/json');
    expect(JSON.stringify(request)).toContain('Hello');
  });

  it('takes the key of its variable, and nothing else from the environment', async () => {
    await using server = await refusing();
    for (const [name, value] of Object.entries(OTHERS)) vi.stubEnv(name, value);
    vi.stubEnv(variable, KEY);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});

    const request = await sent(server, config(server.url), model);

    expect(request.path).toBe(path);
    expect(request.headers[auth[0]]).toBe(auth[1] + KEY);
    expect(JSON.stringify(request)).not.toContain('elsewhere');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('takes the key anew for each call, as keys are changed', async () => {
    await using server = await refusing();
    vi.stubEnv(variable, 'key-1');
    const made = createModel(config(server.url), model);
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };

    await collect(made.stream(request)).catch(() => undefined);
    vi.stubEnv(variable, 'key-2');
    await collect(made.stream(request)).catch(() => undefined);

    expect(server.requests.map(({ headers }) => headers[auth[0]])).toEqual([`${auth[1]}key-1`, `${auth[1]}key-2`]);
  });

  it('names its variable when there is no key', () => {
    vi.stubEnv(variable, undefined);

    expect(() => createModel(config('http://127.0.0.1:1'), model)).toThrowError(
      expect.objectContaining({ code: 'AUTHENTICATION_ERROR', message: expect.stringContaining(variable) }),
    );
  });

  it('sends the headers of the host, over its own', async () => {
    await using server = await refusing();
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-tenant: elsewhere');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-tenant: elsewhere');
    const headers = { 'X-Tenant': 't-1', 'User-Agent': 'mine/1' };

    const request = await sent(server, { ...config(server.url), apiKey: KEY, headers }, model);

    expect(request.headers).toMatchObject({ 'x-tenant': 't-1', 'user-agent': 'mine/1' });
  });

  it('sends further fields of the host in its body', async () => {
    await using server = await refusing();
    const extraBody = { some_field: { a: [1, 'x'] }, other: 0.5 };

    const request = await sent(server, { ...config(server.url), apiKey: KEY, extraBody }, model);

    expect(request.body).toMatchObject(extraBody);
  });

  it.each(reserved)('refuses a field of the host that it sets itself: %s', (name) => {
    const extraBody = { [name]: 'mine' };

    expect(() => createModel({ ...config('http://127.0.0.1:1'), apiKey: KEY, extraBody }, model)).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: `provider.extraBody.${name}` }),
    );
  });

  it('begins every request of a conversation with the same bytes', async () => {
    await using server = await refusing();
    const first = userMessage('Hello');
    const one = await sent(server, { ...config(server.url), apiKey: KEY }, model, { messages: [first] });

    const two = await sent(server, { ...config(server.url), apiKey: KEY }, model, {
      messages: [first, userMessage('Again')],
    });

    const upTo = (text: string) => text.slice(0, text.indexOf('Hello') + 'Hello'.length);
    expect(upTo(two.text)).toBe(upTo(one.text));
    expect(two.text).toContain('Again');
  });

  it('goes by the configuration that it was made with, whatever becomes of it', async () => {
    await using server = await refusing();
    const given = { ...config(server.url), apiKey: KEY, headers: { 'x-a': '1' }, extraBody: { some_field: 1 } };
    const made = createModel(given, model);
    Object.assign(given.headers, { 'x-a': 'bad\r\nx-b: 2' });
    Object.assign(given.extraBody, { some_field: 2, messages: 'mine', contents: 'mine', input: 'mine' });
    given.baseUrl = 'http://127.0.0.1:9/elsewhere';

    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };
    await expect(collect(made.stream(request))).rejects.toMatchObject({ name: 'ModelError', statusCode: 400 });

    expect(server.requests[0]?.headers['x-a']).toBe('1');
    expect(server.requests[0]?.body).toContain('"some_field":1');
    expect(server.requests[0]?.body).not.toContain('mine');
  });

  it('names the request in errors that come after its answer has begun', async () => {
    const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'req-9' };
    await using server = await wireServer([
      { headers, body: 'data: {"error":{"message":"no","type":"server_error"}}\n\n' },
      { headers, body: ': nothing\n\n' },
    ]);
    const made = createModel({ ...config(server.url), apiKey: KEY }, model);
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };

    for (let call = 0; call < 2; call++) {
      await expect(collect(made.stream(request))).rejects.toMatchObject({ name: 'ModelError', requestId: 'req-9' });
    }
  });

  it('reads a stream under the name of something else', async () => {
    await using server = await wireServer([
      { headers: { 'content-type': 'application/json', 'content-encoding': 'none' }, body: '\n: hello\n\n' },
      { headers: { 'content-type': 'text/html; charset=utf-8' }, body: ': hello\n\n' },
      { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Sign in</html>' },
    ]);
    const made = createModel({ ...config(server.url), apiKey: KEY }, model);
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };

    for (const message of ['before the reply was complete', 'before the reply was complete', 'text/html']) {
      await expect(collect(made.stream(request))).rejects.toThrow(message);
    }
  });

  it('loads its own client with the first reply, and no other', async () => {
    await using server = await refusing();
    const program = fileURLToPath(new URL('programs/loaded-clients.ts', import.meta.url));
    const argument = JSON.stringify({ config: { ...config(server.url), apiKey: KEY }, model });

    const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, program, argument]);

    expect(JSON.parse(stdout)).toEqual({ imported: [], made: [], asked: [client] });
    expect(server.requests.length).toBe(1);
  });

  it('lists models as a typed error when the service has no list', async () => {
    await using server = await refusing();

    await expect(supportedModels({ ...config(server.url), apiKey: KEY })).rejects.toMatchObject({
      name: 'ModelError',
      statusCode: 400,
      retryable: false,
    });
    expect(server.requests.length).toBe(1);
  });
});

describe('an address as people copy it', () => {
  it.each<[ProviderConfig['type'], readonly string[], string]>([
    ['openai-compatible', ['/v1', '/v1/'], '/v1/chat/completions'],
    ['anthropic', ['', '/', '/v1', '/v1/'], '/v1/messages'],
    ['gemini', ['', '/', '/v1beta', '/v1beta/'], '/v1beta/models/m:streamGenerateContent?alt=sse'],
  ])('of %s leads to one place', async (type, ends, place) => {
    await using server = await refusing();

    for (const end of ends) {
      const { path } = await sent(server, { type, apiKey: KEY, baseUrl: server.url + end }, 'm');
      expect(path).toBe(place);
    }
  });
});
