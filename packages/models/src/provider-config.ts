import { AuthenticationError, nearestName, ValidationError } from '@x/core';

/** Any service that offers OpenAI chat completions. */
export interface OpenAICompatibleConfig {
  readonly type: 'openai-compatible';
  /** Default: the variable `OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Default: `chat`. */
  readonly api?: 'chat' | 'responses' | undefined;
}
/** The Anthropic messages API; not available in this version. */
export interface AnthropicConfig {
  readonly type: 'anthropic';
  /** Default: the variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}
/** The Gemini API; not available in this version. */
export interface GeminiConfig {
  readonly type: 'gemini';
  /** Default: the variable `GEMINI_API_KEY`. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
}
/** OpenAI models on Azure; not available in this version. */
export interface AzureOpenAIConfig {
  readonly type: 'azure-openai';
  /** Default: the variable `AZURE_OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  readonly baseUrl: string;
  readonly apiVersion?: string | undefined;
}
/** Which service a model runs on. */
export type ProviderConfig = OpenAICompatibleConfig | AnthropicConfig | GeminiConfig | AzureOpenAIConfig;

const SHAPES: Readonly<
  Record<ProviderConfig['type'], { readonly variable: string; readonly keys: readonly string[] }>
> = {
  'openai-compatible': { variable: 'OPENAI_API_KEY', keys: ['type', 'apiKey', 'baseUrl', 'api'] },
  anthropic: { variable: 'ANTHROPIC_API_KEY', keys: ['type', 'apiKey', 'baseUrl'] },
  gemini: { variable: 'GEMINI_API_KEY', keys: ['type', 'apiKey', 'baseUrl'] },
  'azure-openai': { variable: 'AZURE_OPENAI_API_KEY', keys: ['type', 'apiKey', 'baseUrl', 'apiVersion'] },
};
const TYPES = Object.keys(SHAPES);
const APIS = ['chat', 'responses'];
/** What a header value may carry without being cut, folded or refused. */
const KEY = /^[\x21-\x7e]+$/;

/** The configuration itself. @throws ValidationError naming the field that does not fit, and the nearest known name */
export function checkProviderConfig(config: ProviderConfig): ProviderConfig {
  // safe: only read as unknown values below
  const values = config as unknown as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof values !== 'object' || values === null) {
    throw new ValidationError("provider is required, such as { type: 'openai-compatible' }", 'provider');
  }
  const type = values['type'];
  if (typeof type !== 'string' || !Object.hasOwn(SHAPES, type)) throw unknownName('provider.type', String(type), TYPES);
  const { keys } = SHAPES[type as ProviderConfig['type']]; // safe: an own key of SHAPES
  for (const key of Object.keys(values)) {
    if (!keys.includes(key)) throw unknownName(`provider.${key}`, key, keys);
    const value = values[key];
    if (value !== undefined && typeof value !== 'string') {
      throw new ValidationError(`provider.${key} must be a string`, `provider.${key}`);
    }
  }
  if (config.baseUrl !== undefined) checkUrl(config.baseUrl);
  if (config.type === 'azure-openai' && !config.baseUrl) {
    throw new ValidationError('provider.baseUrl is required for azure-openai', 'provider.baseUrl');
  }
  if (config.type === 'openai-compatible' && config.api !== undefined && !APIS.includes(config.api)) {
    throw unknownName('provider.api', config.api, APIS);
  }
  return config;
}

/** The key to use now: that of the configuration, else of the provider's variable. @throws AuthenticationError naming the variable */
export function apiKeyOf({ type, apiKey }: ProviderConfig): string {
  const { variable } = SHAPES[type];
  const key = (apiKey ?? process.env[variable] ?? '').trim();
  if (key === '') {
    throw new AuthenticationError(`There is no API key for ${type}: set provider.apiKey or the variable ${variable}`);
  }
  if (!KEY.test(key)) {
    const source = apiKey === undefined ? `The variable ${variable}` : 'provider.apiKey';
    throw new AuthenticationError(`${source} has characters that no API key has, such as a line break or a space`);
  }
  return key;
}

function checkUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ValidationError('provider.baseUrl must be an http or https address', 'provider.baseUrl');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValidationError('provider.baseUrl must not hold a user name or password', 'provider.baseUrl');
  }
}

function unknownName(field: string, name: string, known: readonly string[]): ValidationError {
  const hint = `did you mean ${nearestName(name, known)}? Known are ${known.join(', ')}`;
  return new ValidationError(`${field} is not known: ${JSON.stringify(name)}; ${hint}`, field);
}
