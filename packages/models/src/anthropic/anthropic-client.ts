import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { AnthropicConfig } from '../provider-config.ts';
import { ANTHROPIC_URL } from './anthropic-url.ts';

/** The client adds it itself; other libraries want it in the address. */
const VERSION = /\/v1\/?$/;

/** The official client for this configuration and key, sending by `send`; the package is loaded on first use. */
export async function anthropicClient(
  { baseUrl, headers = {} }: AnthropicConfig,
  apiKey: string,
  send: typeof fetch = fetch,
): Promise<BaseAnthropic> {
  const { BaseAnthropic: Client } = await import('@anthropic-ai/sdk/client');
  // all given, because the client would take what is absent from the environment or a profile, for whatever address
  const client = new Client({
    apiKey,
    authToken: null,
    webhookKey: null,
    baseURL: (baseUrl ?? ANTHROPIC_URL).replace(VERSION, ''),
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: send,
  });
  // the constructor has joined the variable ANTHROPIC_CUSTOM_HEADERS; what a host wants to be sent it says in its configuration
  // safe: the client reads its default headers from this member, request by request; a test sets the variable
  const { _options } = client as unknown as { readonly _options: { defaultHeaders?: Record<string, string> } };
  // the client itself sends a bearer token; services that follow the API, and its older versions, look for this header
  _options.defaultHeaders = { ...(hasKey(headers) ? {} : { 'x-api-key': apiKey }), ...headers };
  return client;
}

function hasKey(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'x-api-key');
}
