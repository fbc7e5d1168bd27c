import { AuthenticationError, ValidationError } from '@x/core';
import { checkJsonValue } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';

/** A function that is asked for each request, so that what it gives may be renewed; the signal is that of the request. */
export type Renewed<T> = (options: { readonly signal: AbortSignal }) => T | PromiseLike<T>;

/** Options of every provider. */
interface CommonConfig {
  /**
   * Sent with every model request; they override headers of the same name from the official client. A function is asked for each request: a
   * failing one fails the request with `AUTHENTICATION_ERROR`, to be retried only where its error says so.
   */
  readonly headers?: Readonly<Record<string, string>> | Renewed<Readonly<Record<string, string>>> | undefined;
  /**
   * Fields of every request body that this package does not set itself, in the service's own names, such as `temperature` or `thinking`;
   * they override its defaults, and objects are joined with them one level deep.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Tokens that messages and reply may have together; sessions compact by it. Default: by the model's name, 128,000 for an unknown one. */
  readonly contextWindow?: number | undefined;
}
/** Any service that offers OpenAI chat completions or responses. */
export interface OpenAICompatibleConfig extends CommonConfig {
  readonly type: 'openai-compatible';
  /** Default: the variable `OPENAI_API_KEY`. */
  readonly apiKey?: string | Renewed<string> | undefined;
  /** Default: `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Default: `chat`. */
  readonly api?: 'chat' | 'responses' | undefined;
  /**
   * Enforces a given output format: with the service's own `json_schema`, or by a final tool whose call is returned as text. Not with
   * `responses`. Default: by the model's name, `tool` for those of OpenAI and DeepSeek known to lack `json_schema` (gpt-3.5, gpt-4,
   * DeepSeek's own), otherwise `native`.
   */
  readonly structuredOutput?: 'native' | 'tool' | undefined;
}
/** The Anthropic messages API. */
export interface AnthropicConfig extends CommonConfig {
  readonly type: 'anthropic';
  /** Default: the variable `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | Renewed<string> | undefined;
  /** Default: `https://api.anthropic.com`. */
  readonly baseUrl?: string | undefined;
}
/** The Gemini API, in its version `v1beta`. */
export interface GeminiConfig extends CommonConfig {
  readonly type: 'gemini';
  /** Default: the variable `GEMINI_API_KEY`. */
  readonly apiKey?: string | Renewed<string> | undefined;
  /** Default: `https://generativelanguage.googleapis.com`. */
  readonly baseUrl?: string | undefined;
}
/** OpenAI models on Azure; the model's name is that of the deployment. */
export interface AzureOpenAIConfig extends CommonConfig {
  readonly type: 'azure-openai';
  /** Default: the variable `AZURE_OPENAI_API_KEY`. */
  readonly apiKey?: string | Renewed<string> | undefined;
  /** The resource, such as `https://example.openai.azure.com`. */
  readonly baseUrl: string;
  /** Default: `chat`. For `responses` a deployment should be named as its model is: what the model reads and thinks is known by that. */
  readonly api?: 'chat' | 'responses' | undefined;
  /**
   * With a version, requests go to `/openai/deployments/<model>`, or to `/openai/responses`; without one, to the versionless `/openai/v1`.
   */
  readonly apiVersion?: string | undefined;
}
/** The service that a model runs on, with its options. */
export type ProviderConfig = OpenAICompatibleConfig | AnthropicConfig | GeminiConfig | AzureOpenAIConfig;

/** Characters that a header accepts without cutting, folding or refusing the value. */
const KEY = /^[\x21-\x7e]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADERS = is.secret(
  is.recordOf(
    is.secret(is.rule('a text without line breaks', (value) => typeof value === 'string' && HEADER_VALUE.test(value))),
    'an object of texts',
    is.rule('possible for a header', (name) => HEADER_NAME.test(String(name))),
  ),
);
const COMMON: OptionRules<AnthropicConfig> = {
  type: is.anything,
  apiKey: is.secret(is.either(is.text, is.callback, 'a text, or a function that returns one')),
  baseUrl: is.secret(is.rule('an http or https address, without user name and password', isAddress)),
  headers: is.secret(
    is.rule(
      'an object of texts, or a function that returns one',
      (value) => typeof value === 'function' || (HEADERS.fits(value) && !(value instanceof Promise)),
      (value, path) => (typeof value === 'function' ? undefined : HEADERS.inside?.(value, path)),
    ),
  ),
  extraBody: is.checked(checkExtra),
  contextWindow: is.rule('a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0),
};
const OPENAI: OptionRules<OpenAICompatibleConfig> = {
  ...COMMON,
  api: is.oneOf('chat', 'responses'),
  structuredOutput: is.oneOf('native', 'tool'),
};
const AZURE: OptionRules<AzureOpenAIConfig> = {
  ...COMMON,
  baseUrl: is.required(COMMON.baseUrl),
  api: OPENAI.api,
  apiVersion: is.text,
};
const SHAPES = {
  'openai-compatible': { variable: 'OPENAI_API_KEY', rules: OPENAI },
  anthropic: { variable: 'ANTHROPIC_API_KEY', rules: COMMON },
  gemini: { variable: 'GEMINI_API_KEY', rules: COMMON },
  'azure-openai': { variable: 'AZURE_OPENAI_API_KEY', rules: AZURE },
} as const;
/** Secret, because a key may have been given by mistake. */
const PROVIDER = is.secret(
  is.required(
    is.rule("an object such as { type: 'openai-compatible' }", (value) => typeof value === 'object' && value !== null),
  ),
);
/** The type selects the rules. */
/** The types of providers. */
export const PROVIDER_TYPES: readonly string[] = Object.keys(SHAPES);
const TYPE = is.required(is.oneOf(...PROVIDER_TYPES));

/** Checks a configuration and returns it. @throws ValidationError naming the invalid field, and the nearest known name */
export function checkProviderConfig(config: ProviderConfig): ProviderConfig {
  checkValue('provider', config, PROVIDER);
  checkValue('provider.type', config.type, TYPE);
  checkOptions('provider', config, SHAPES[config.type].rules, 'provider');
  if (config.type === 'openai-compatible' && config.structuredOutput !== undefined && config.api === 'responses') {
    const field = 'provider.structuredOutput';
    throw new ValidationError(`${field} is only with api: 'chat'`, field);
  }
  return config;
}

/**
 * The present key: that of the configuration, else of the provider's variable; undefined for one that a function gives.
 * @throws AuthenticationError naming the variable
 */
export function fixedKeyOf({ type, apiKey }: ProviderConfig): string | undefined {
  if (typeof apiKey === 'function') return undefined;
  const { variable } = SHAPES[type];
  const key = (apiKey ?? process.env[variable] ?? '').trim();
  if (key === '') {
    throw new AuthenticationError(`There is no API key for ${type}: set provider.apiKey or the variable ${variable}`);
  }
  if (!isKey(key)) {
    const source = apiKey === undefined ? `The variable ${variable}` : 'provider.apiKey';
    throw new AuthenticationError(`${source} has characters that no API key has, such as a line break or a space`);
  }
  return key;
}

/** True for a text without characters that no key has. */
export function isKey(value: unknown): value is string {
  return typeof value === 'string' && KEY.test(value);
}

/** @throws ValidationError for what are no headers; `path` is its field */
export function checkHeaders(headers: unknown, path: string): asserts headers is Readonly<Record<string, string>> {
  checkValue(path, headers, is.required(HEADERS));
}

/** The variable of a provider's key, and its state; never the key. */
export interface KeyVariable {
  readonly provider: ProviderConfig['type'];
  readonly variable: string;
  /** `unusable`: with characters that are invalid in a key, such as a line break. */
  readonly state: 'set' | 'missing' | 'unusable';
}

/** The variables of the keys in the environment, provider by provider. */
export function keyVariables(env: Readonly<Record<string, string | undefined>> = process.env): KeyVariable[] {
  return Object.entries(SHAPES).map(([type, { variable }]) => {
    const key = (env[variable] ?? '').trim();
    const state = key === '' ? 'missing' : isKey(key) ? 'set' : 'unusable';
    return { provider: type as ProviderConfig['type'], variable, state }; // safe: a key of SHAPES
  });
}

function isAddress(value: unknown): boolean {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '';
}

function checkExtra(extraBody: unknown, path: string): void {
  checkValue(path, extraBody, is.secret(is.recordOf(is.anything)));
  checkJsonValue({ provider: { extraBody } }, 'the configuration');
}
