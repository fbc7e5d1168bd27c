import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { GoogleGenAI } from '@google/genai';
import { defineTool, type ModelRequest, objectSchema, textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { modelContract, wireServer } from '@x/models/testing';
import { type VertexOptions, vertex } from '@x/models/vertex';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../contract-subjects.ts';

const CLAUDE = CONTRACT_SUBJECTS['vertex claude'].streams.text;
const GEMINI = CONTRACT_SUBJECTS['vertex gemini'].streams.text;
const place = { project: 'my-project', location: 'europe-west1' };
const tool = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: objectSchema({ at: { type: 'string', description: 'Where.' } }),
  execute: async () => '',
});

async function asking(body: string, options: VertexOptions = {}) {
  const server = await wireServer({ body });
  onTestFinished(() => server.close());
  const provider = vertex({ ...place, baseUrl: server.url, accessToken: () => 'token-1234', ...options });
  const { signal } = new AbortController();
  const usual = { instruction: 'Be brief.', messages: [userMessage('Hi')], tools: [tool], signal };
  const ask = async (name: string, more: Partial<ModelRequest> = {}) =>
    (await collect(provider.createModel(name).stream({ ...usual, ...more }))).value;
  return { ask, server };
}

/** The request that an official client builds; it is not sent. */
async function sentBy(work: (send: typeof fetch) => Promise<unknown>): Promise<{ url: string; headers: Headers }> {
  let sent: { url: string; headers: Headers } | undefined;
  await work(async (url, init) => {
    sent = { url: new Request(url).url, headers: new Headers(init?.headers) };
    return new Response('', { status: 400 });
  }).catch(() => undefined);
  return sent!;
}

/** A file of credentials: of an identity elsewhere, for which this address gives tokens. */
function accountFile(token_url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'vertex-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, subject] = [join(folder, 'account.json'), join(folder, 'subject')];
  writeFileSync(subject, 'a token of another identity');
  const account = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/other',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url,
    credential_source: { file: subject },
  };
  writeFileSync(file, JSON.stringify(account));
  return file;
}

afterEach(() => vi.unstubAllEnvs());

describe.each(['vertex claude', 'vertex gemini'] as const)('%s', (name) => {
  it.each(modelContract({ ...CONTRACT_SUBJECTS[name], cutsPerStream: CUTS_PER_STREAM }))(
    '$name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
    180_000,
  );
});

describe('vertex', () => {
  it('asks Claude in the words of the cloud, and says who has answered', async () => {
    const { ask, server } = await asking(CLAUDE, { extraBody: { top_k: 3 }, headers: { 'x-team': 'a' } });

    const reply = await ask('claude-sonnet-4-5@20250929');

    const [{ path, headers, body } = { path: '', headers: {}, body: '{}' }] = server.requests;
    expect(path).toBe(
      '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
    );
    expect(headers).toMatchObject({ authorization: 'Bearer token-1234', 'x-team': 'a' });
    const sent = JSON.parse(body) as Record<string, unknown>;
    expect(sent).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, top_k: 3 });
    expect(Object.keys(sent).filter((field) => ['model', 'cache_control'].includes(field))).toEqual([]);
    expect(JSON.stringify(sent['tools'])).toContain('cache_control');
    expect(reply).toMatchObject({ provider: 'vertex', model: 'claude-sonnet-4-5@20250929' });
  });

  it('asks Gemini', async () => {
    const { ask, server } = await asking(GEMINI);

    const reply = await ask('gemini-2.5-flash');

    expect(server.requests[0]?.path).toBe(
      '/v1beta1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    );
    expect(textOf(reply)).not.toBe('');
    expect(reply.provider).toBe('vertex');
  });

  it.each(['global', 'us', 'eu', 'us-east5', 'europe-west1'])(
    'has the addresses of the official clients in %s',
    async (location) => {
      const authClient = { getRequestHeaders: async () => new Headers(), projectId: 'my-project' } as never;
      const claude = await sentBy((send) =>
        new AnthropicVertex({
          region: location,
          projectId: 'my-project',
          authClient,
          fetch: send,
          maxRetries: 0,
        }).messages.create({
          model: 'claude-opus-4-8',
          max_tokens: 1,
          stream: true,
          messages: [{ role: 'user', content: 'Hi' }],
        }),
      );
      vi.stubEnv('GOOGLE_API_KEY', '');
      const gemini = await sentBy((send) => {
        const client = new GoogleGenAI({
          vertexai: true,
          project: 'my-project',
          location,
          googleAuthOptions: { authClient },
          httpOptions: { fetch: send },
        });
        return client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'Hi' });
      });
      const { vertexRequest } = await import('../../src/vertex/vertex-address.ts');
      const at = (publisher: string, model: string, method: string) =>
        vertexRequest({ project: 'my-project', location }, { publisher, model, method }, { apiKey: 'k', headers: {} })
          .url;

      expect(at('anthropic', 'claude-opus-4-8', 'streamRawPredict')).toBe(claude.url);
      expect(at('google', 'gemini-2.5-flash', 'streamGenerateContent?alt=sse')).toBe(gemini.url);
    },
  );

  it('takes the application default credentials, and renews them', async () => {
    const tokens = await wireServer((_, number) => ({
      headers: { 'content-type': 'application/json' },
      // a token that has nearly run out is asked for anew
      body: JSON.stringify({
        access_token: `token-${number}`,
        expires_in: number === 1 ? 1 : 3600,
        token_type: 'Bearer',
      }),
    }));
    onTestFinished(() => tokens.close());
    const file = accountFile(`${tokens.url}/token`);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    const { ask, server } = await asking(GEMINI, { accessToken: undefined as never });

    for (let turn = 0; turn < 3; turn++) await ask('gemini-2.5-flash');

    const sent = server.requests.map(({ headers }) => headers['authorization']);
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
  });

  it('says what to install', async () => {
    vi.doMock('google-auth-library', () => {
      throw new Error('Cannot find package');
    });
    onTestFinished(() => vi.doUnmock('google-auth-library'));
    const { ask } = await asking(GEMINI, { accessToken: undefined as never });

    await expect(ask('gemini-2.5-flash')).rejects.toThrow('npm');
  });

  it('takes a token that Google does not give for a missing key', async () => {
    const tokens = await wireServer({
      headers: { 'content-type': 'application/json' },
      body: '{"token_type":"Bearer"}',
    });
    onTestFinished(() => tokens.close());
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', accountFile(`${tokens.url}/token`));
    const { ask } = await asking(GEMINI, { accessToken: undefined as never });

    await expect(ask('gemini-2.5-flash')).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
  });

  it('fails without credentials as without a key, and shows no token in an error', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/no/such/file.json');
    const { ask } = await asking(GEMINI, { accessToken: undefined as never });
    await expect(ask('gemini-2.5-flash')).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR', retryable: false });

    const refusing = await wireServer({
      status: 403,
      body: '{"error":{"message":"token-1234 is not allowed","status":"PERMISSION_DENIED"}}',
    });
    onTestFinished(() => refusing.close());
    const { ask: other } = await asking(GEMINI, { baseUrl: refusing.url });
    const refused = await other('gemini-2.5-flash').catch((error: unknown) => error);
    expect(refused).toMatchObject({ statusCode: 403, provider: 'vertex' });
    expect(String(refused)).not.toContain('token-1234');
  });

  it.each<[string, VertexOptions, string]>([
    ['no project', { project: undefined as never }, 'GOOGLE_CLOUD_PROJECT'],
    ['a project that leads elsewhere', { project: '../other' }, 'project'],
    ['a location that leads elsewhere', { location: 'a/b' }, 'location'],
    ['an unknown option', { region: 'us' } as never, 'region'],
    ['a key in place of a function', { accessToken: 'token' as never }, 'accessToken'],
    ['what is no address', { baseUrl: 'example.com' }, 'baseUrl'],
    ['an address of another kind', { baseUrl: 'ftp://example.com' }, 'baseUrl'],
    ['fields that are no object', { extraBody: [] as never }, 'extraBody'],
    ['a window of nothing', { contextWindow: 0 }, 'contextWindow'],
  ])('refuses %s', (_, options, message) => {
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', '');
    expect(() => vertex({ ...place, ...options })).toThrow(message);
  });

  it.each([
    ['a name that leads elsewhere', '../gemini', {}, 'model'],
    ['a field that requests set themselves', 'claude-opus-4-8', { anthropic_version: 'x' }, 'anthropic_version'],
    ['the same of Gemini', 'gemini-2.5-flash', { contents: [] }, 'contents'],
  ])('refuses %s with the model', (_, name, extraBody, message) => {
    expect(() => vertex({ ...place, extraBody }).createModel(name)).toThrow(message);
  });

  it('finds project and location in the environment', async () => {
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'of-env');
    vi.stubEnv('GOOGLE_CLOUD_LOCATION', 'us-east5');
    const { ask, server } = await asking(GEMINI, { project: undefined as never, location: undefined as never });

    await ask('gemini-2.5-flash');

    expect(server.requests[0]?.path).toContain('/projects/of-env/locations/us-east5/');
  });
});
