import { AuthenticationError, checkJsonValue, knownNames, ValidationError } from '@x/core';

/** What every provider takes. */
interface CommonConfig {
  /** Sent with every model request, over the headers of the same name that the official client sets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Fields of every request body that this package does not set itself, in the service's own names, such as `temperature` or
   * `thinking`; they win over its defaults, and objects are joined with them one level deep.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}
/** Any service that offers OpenAI chat completions or responses. */
export interface OpenAICompatibleConfig extends CommonConfig {
  readonly type: 'openai-compatible';
  /** Default: the variable `OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Default: `chat`. */
  readonly api?: 'chat' | 'responses' | undefined;
  /**
   * How the model is held to answers of a given form: by the service's own `json_schema`, or by a final tool whose call comes back as
   * text. Not with `responses`. Default: by the model's name, `tool` for those of OpenAI and DeepSeek that are known to be without a
   * form of their own (gpt-3.5, gpt-4, deepseek-chat, deepseek-reasoner), otherwise `native`.
   */
  readonly structuredOutput?: 'native' | 'tool' | undefined;
}
/** The Anthropic messages API. */
export interface AnthropicConfig extends CommonConfig {
  readonly type: 'anthropic';
  /** Default: the variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: `https://api.anthropic.com`. */
  readonly baseUrl?: string | undefined;
}
/** The Gemini API, in its version `v1beta`. */
export interface GeminiConfig extends CommonConfig {
  readonly type: 'gemini';
  /** Default: the variable `GEMINI_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Default: `https://generativelanguage.googleapis.com`. */
  readonly baseUrl?: string | undefined;
}
/** OpenAI models on Azure; the model's name is that of the deployment. */
export interface AzureOpenAIConfig extends CommonConfig {
  readonly type: 'azure-openai';
  /** Default: the variable `AZURE_OPENAI_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The resource, such as `https://example.openai.azure.com`. */
  readonly baseUrl: string;
  /** With a version, requests go to `/openai/deployments/<model>`; without one, to the versionless `/openai/v1`. */
  readonly apiVersion?: string | undefined;
}
/** Which service a model runs on. */
export type ProviderConfig = OpenAICompatibleConfig | AnthropicConfig | GeminiConfig | AzureOpenAIConfig;

const COMMON = ['type', 'apiKey', 'baseUrl', 'headers', 'extraBody'];
const SHAPES: Readonly<
  Record<ProviderConfig['type'], { readonly variable: string; readonly keys: readonly string[] }>
> = {
  'openai-compatible': { variable: 'OPENAI_API_KEY', keys: [...COMMON, 'api', 'structuredOutput'] },
  anthropic: { variable: 'ANTHROPIC_API_KEY', keys: COMMON },
  gemini: { variable: 'GEMINI_API_KEY', keys: COMMON },
  'azure-openai': { variable: 'AZURE_OPENAI_API_KEY', keys: [...COMMON, 'apiVersion'] },
};
const TYPES = Object.keys(SHAPES);
const OF_THE_SERVICE = ". A field of the service's own requests goes into provider.extraBody";
const APIS = ['chat', 'responses'];
const STRUCTURED_OUTPUTS = ['native', 'tool'];
/** What a header value may carry without being cut, folded or refused. */
const KEY = /^[\x21-\x7e]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

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
    if (!keys.includes(key)) throw unknownName(`provider.${key}`, key, keys, OF_THE_SERVICE);
    const value = values[key];
    if (value !== undefined && key !== 'headers' && key !== 'extraBody' && typeof value !== 'string') {
      throw new ValidationError(`provider.${key} must be a string`, `provider.${key}`);
    }
  }
  checkHeaders(config.headers);
  checkExtra(config.extraBody);
  if (config.baseUrl !== undefined) checkUrl(config.baseUrl);
  if (config.type === 'azure-openai' && !config.baseUrl) {
    throw new ValidationError('provider.baseUrl is required for azure-openai', 'provider.baseUrl');
  }
  if (config.type === 'openai-compatible') checkChoices(config);
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

/** The variable of a provider's key, and whether a key that can be used is in it; never the key. */
export interface KeyVariable {
  readonly provider: ProviderConfig['type'];
  readonly variable: string;
  /** `unusable`: with characters that no key has, such as a line break. */
  readonly state: 'set' | 'missing' | 'unusable';
}

/** Which keys are set in the environment, provider by provider. */
export function keyVariables(env: Readonly<Record<string, string | undefined>> = process.env): KeyVariable[] {
  return Object.entries(SHAPES).map(([type, { variable }]) => {
    const key = (env[variable] ?? '').trim();
    const state = key === '' ? 'missing' : KEY.test(key) ? 'set' : 'unusable';
    return { provider: type as ProviderConfig['type'], variable, state }; // safe: a key of SHAPES
  });
}

function checkChoices({ api, structuredOutput }: OpenAICompatibleConfig): void {
  if (api !== undefined && !APIS.includes(api)) throw unknownName('provider.api', api, APIS);
  if (structuredOutput === undefined) return;
  const field = 'provider.structuredOutput';
  if (!STRUCTURED_OUTPUTS.includes(structuredOutput)) throw unknownName(field, structuredOutput, STRUCTURED_OUTPUTS);
  if (api === 'responses') throw new ValidationError(`${field} is only with api: 'chat'`, field);
}

function checkHeaders(headers: unknown): void {
  if (headers === undefined) return;
  if (!isRecord(headers))
    throw new ValidationError('provider.headers must be an object of strings', 'provider.headers');
  for (const [name, value] of Object.entries(headers)) {
    const field = `provider.headers.${name}`;
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      throw new ValidationError(`${field} must be a string without line breaks`, field);
    }
    if (!HEADER_NAME.test(name)) throw new ValidationError(`${field} is not the name of a header`, field);
  }
}

function checkExtra(extraBody: unknown): void {
  if (extraBody === undefined) return;
  if (!isRecord(extraBody)) throw new ValidationError('provider.extraBody must be an object', 'provider.extraBody');
  checkJsonValue({ provider: { extraBody } }, 'the configuration');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

function unknownName(field: string, name: string, known: readonly string[], more = ''): ValidationError {
  return new ValidationError(
    `${field} is not known: ${JSON.stringify(name)}; ${knownNames(name, known)}${more}`,
    field,
  );
}
