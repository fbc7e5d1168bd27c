import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkProviderConfig, fixedKeyOf, keyVariables, type ProviderConfig } from './provider-config.ts';

const of = (config: object | undefined): ProviderConfig => config as ProviderConfig; // what JavaScript callers may pass

afterEach(() => vi.unstubAllEnvs());

describe('checkProviderConfig', () => {
  it.each<ProviderConfig>([
    { type: 'openai-compatible' },
    { type: 'openai-compatible', apiKey: 'k', baseUrl: 'http://localhost:11434/v1', api: 'chat' },
    { type: 'openai-compatible', apiKey: undefined },
    { type: 'openai-compatible', api: 'chat', structuredOutput: 'tool' },
    { type: 'openai-compatible', api: 'responses', structuredOutput: undefined },
    { type: 'anthropic', apiKey: 'k', baseUrl: 'https://gateway.example' },
    { type: 'gemini', apiKey: 'k', headers: { 'X-Goog-User-Project': 'p' }, extraBody: { generationConfig: {} } },
    { type: 'azure-openai', apiKey: 'k', baseUrl: 'https://x.openai.azure.com', apiVersion: '2025-01-01' },
  ])('takes the specified shape %j', (config) => {
    expect(checkProviderConfig(config)).toBe(config);
  });

  it.each([
    [undefined, 'provider', 'provider must be an object such as'],
    [null, 'provider', 'provider must be an object such as'],
    [{ type: 'openai' }, 'provider.type', 'one of openai-compatible, anthropic, gemini, azure-openai, not "openai"'],
    [{ type: 'constructor' }, 'provider.type', 'must be one of'],
    [{ type: 'openai-compatible', baseURL: 'http://x' }, 'provider.baseURL', 'did you mean baseUrl?'],
    [{ type: 'openai-compatible', apikey: 'k' }, 'provider.apikey', 'did you mean apiKey?'],
    [{ type: 'openai-compatible', apiKey: 7 }, 'provider.apiKey', 'must be a text'],
    [{ type: 'openai-compatible', baseUrl: 'localhost:80' }, 'provider.baseUrl', 'http or https'],
    [{ type: 'openai-compatible', baseUrl: 'https://me:pw@host/v1' }, 'provider.baseUrl', 'user name'],
    [{ type: 'openai-compatible', api: 'response' }, 'provider.api', 'must be one of chat, responses, not "response"'],
    [
      { type: 'openai-compatible', structuredOutput: 'tools' },
      'provider.structuredOutput',
      'must be one of native, tool, not "tools"',
    ],
    [
      { type: 'openai-compatible', structuredOutput: true },
      'provider.structuredOutput',
      'must be one of native, tool, not true',
    ],
    [
      { type: 'openai-compatible', api: 'responses', structuredOutput: 'native' },
      'provider.structuredOutput',
      "only with api: 'chat'",
    ],
    [
      { type: 'azure-openai', baseUrl: 'https://x', structuredOutput: 'tool' },
      'provider.structuredOutput',
      'provider: unknown structuredOutput',
    ],
    [{ type: 'anthropic', apiVersion: '1' }, 'provider.apiVersion', 'provider: unknown apiVersion'],
    [{ type: 'azure-openai', apiKey: 'k' }, 'provider.baseUrl', 'must be an http or https address'],
    [{ type: 'anthropic', headers: 'x: 1' }, 'provider.headers', 'must be an object of texts'],
    [{ type: 'anthropic', headers: ['x'] }, 'provider.headers', 'must be an object of texts'],
    [{ type: 'anthropic', headers: { 'X-A': 'one\r\nX-B: two' } }, 'provider.headers.X-A', 'line breaks'],
    [{ type: 'anthropic', headers: { 'X-A': 1 } }, 'provider.headers.X-A', 'must be a text'],
    [
      { type: 'anthropic', headers: { 'X A': '1' } },
      'provider.headers.X A',
      'must have a name that is possible for a header',
    ],
    [{ type: 'gemini', extraBody: 'x' }, 'provider.extraBody', 'must be an object'],
    [{ type: 'gemini', extraBody: { seed: Number.NaN } }, 'provider.extraBody.seed', 'NaN'],
    [{ type: 'gemini', extraBody: { a: { b: [() => 1] } } }, 'provider.extraBody.a.b[0]', 'a function'],
  ])('refuses %j, naming the field', (config, field, message) => {
    expect(() => checkProviderConfig(of(config as object))).toThrowError(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field, message: expect.stringContaining(message) }),
    );
  });
});

it.each([
  'sk-secret',
  { type: 'anthropic', headers: 'x-api-key: sk-secret' },
  { type: 'anthropic', headers: { 'x-api-key': 'sk-secret\n' } },
  { type: 'anthropic', apiKey: ['sk-secret'] },
  { type: 'anthropic', baseUrl: 'https://me:sk-secret@host' },
  { type: 'anthropic', extraBody: 'sk-secret' },
])('shows no secret of %j', (config) => {
  expect(() => checkProviderConfig(of(config as object))).toThrow(/^(?!.*sk-secret)provider/);
});

describe('fixedKeyOf', () => {
  it.each([
    ['openai-compatible', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['gemini', 'GEMINI_API_KEY'],
    ['azure-openai', 'AZURE_OPENAI_API_KEY'],
  ])('reads the variable of %s at each call', (type, variable) => {
    vi.stubEnv(variable, 'from-environment\n');
    expect(fixedKeyOf(of({ type }))).toBe('from-environment');

    vi.stubEnv(variable, undefined);

    expect(() => fixedKeyOf(of({ type }))).toThrowError(
      expect.objectContaining({ code: 'AUTHENTICATION_ERROR', message: expect.stringContaining(variable) }),
    );
  });

  it('prefers the key of the configuration', () => {
    vi.stubEnv('OPENAI_API_KEY', 'other');

    expect(fixedKeyOf({ type: 'openai-compatible', apiKey: 'mine' })).toBe('mine');
  });

  it('refuses an empty key instead of taking another one', () => {
    vi.stubEnv('OPENAI_API_KEY', 'other');

    expect(() => fixedKeyOf({ type: 'openai-compatible', apiKey: '' })).toThrowError(/no API key/);
  });

  it('refuses what no header can carry, without showing it', () => {
    const apiKey = 'secret-part\r\nx-admin: 1';

    expect(() => fixedKeyOf({ type: 'openai-compatible', apiKey })).toThrowError(
      /^(?!.*secret-part).*provider\.apiKey/s,
    );
  });
});

describe('keyVariables', () => {
  it('says where each key belongs and whether one is there, and never the key', () => {
    const found = keyVariables({
      OPENAI_API_KEY: ' key-4711\n',
      GEMINI_API_KEY: 'key 4711',
      AZURE_OPENAI_API_KEY: ' ',
    });

    expect(found).toEqual([
      { provider: 'openai-compatible', variable: 'OPENAI_API_KEY', state: 'set' },
      { provider: 'anthropic', variable: 'ANTHROPIC_API_KEY', state: 'missing' },
      { provider: 'gemini', variable: 'GEMINI_API_KEY', state: 'unusable' },
      { provider: 'azure-openai', variable: 'AZURE_OPENAI_API_KEY', state: 'missing' },
    ]);
  });
});
